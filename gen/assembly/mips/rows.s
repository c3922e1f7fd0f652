# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.set noreorder
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x40 ra=31
f:	.cfi_startproc
#: +0x0 cfa=r29+0
	nop
	.cfi_def_cfa 29, 48
#: +0x4 cfa=r29+48
	nop
	.cfi_offset 30, -16
#: +0x8 cfa=r29+48 r30=c-16
	nop
	.cfi_def_cfa_register 30
#: +0xc cfa=r30+48 r30=c-16
	nop
	.cfi_adjust_cfa_offset 16
#: +0x10 cfa=r30+64 r30=c-16
	nop
	.cfi_rel_offset 16, 8
#: +0x14 cfa=r30+64 r16=c-56 r30=c-16
	nop
	.cfi_undefined 17
#: +0x18 cfa=r30+64 r16=c-56 r17=u r30=c-16
	nop
	.cfi_same_value 18
#: +0x1c cfa=r30+64 r16=c-56 r17=u r18=s r30=c-16
	nop
	.cfi_register 19, 16
#: +0x20 cfa=r30+64 r16=c-56 r17=u r18=s r19=r16 r30=c-16
	nop
	.cfi_remember_state
	.cfi_restore 16
	.cfi_restore 17
#: +0x24 cfa=r30+64 r18=s r19=r16 r30=c-16
	nop
	.cfi_remember_state
	.cfi_def_cfa 29, 32
#: +0x28 cfa=r29+32 r18=s r19=r16 r30=c-16
	nop
	.cfi_restore_state
#: +0x2c cfa=r30+64 r18=s r19=r16 r30=c-16
	nop
	.cfi_restore_state
#: +0x30 cfa=r30+64 r16=c-56 r17=u r18=s r19=r16 r30=c-16
	nop
	.cfi_def_cfa_offset 128
#: +0x34 cfa=r30+128 r16=c-56 r17=u r18=s r19=r16 r30=c-16
	nop
	.cfi_offset 31, -8
#: +0x38 cfa=r30+128 r16=c-56 r17=u r18=s r19=r16 r30=c-16 r31=c-8
	nop
	.cfi_escape 0x0e, 0x50
#: +0x3c cfa=r30+80 r16=c-56 r17=u r18=s r19=r16 r30=c-16 r31=c-8
	nop
	.cfi_endproc
