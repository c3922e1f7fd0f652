# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x40 ra=65
f:	.cfi_startproc
#: +0x0 cfa=r1+0
	nop
	.cfi_def_cfa 1, 48
#: +0x4 cfa=r1+48
	nop
	.cfi_offset 31, -16
#: +0x8 cfa=r1+48 r31=c-16
	nop
	.cfi_def_cfa_register 31
#: +0xc cfa=r31+48 r31=c-16
	nop
	.cfi_adjust_cfa_offset 16
#: +0x10 cfa=r31+64 r31=c-16
	nop
	.cfi_rel_offset 30, 8
#: +0x14 cfa=r31+64 r30=c-56 r31=c-16
	nop
	.cfi_undefined 29
#: +0x18 cfa=r31+64 r29=u r30=c-56 r31=c-16
	nop
	.cfi_same_value 28
#: +0x1c cfa=r31+64 r28=s r29=u r30=c-56 r31=c-16
	nop
	.cfi_register 27, 30
#: +0x20 cfa=r31+64 r27=r30 r28=s r29=u r30=c-56 r31=c-16
	nop
	.cfi_remember_state
	.cfi_restore 30
	.cfi_restore 29
#: +0x24 cfa=r31+64 r27=r30 r28=s r31=c-16
	nop
	.cfi_remember_state
	.cfi_def_cfa 1, 32
#: +0x28 cfa=r1+32 r27=r30 r28=s r31=c-16
	nop
	.cfi_restore_state
#: +0x2c cfa=r31+64 r27=r30 r28=s r31=c-16
	nop
	.cfi_restore_state
#: +0x30 cfa=r31+64 r27=r30 r28=s r29=u r30=c-56 r31=c-16
	nop
	.cfi_def_cfa_offset 128
#: +0x34 cfa=r31+128 r27=r30 r28=s r29=u r30=c-56 r31=c-16
	nop
	.cfi_offset 65, -8
#: +0x38 cfa=r31+128 r27=r30 r28=s r29=u r30=c-56 r31=c-16 r65=c-8
	nop
	.cfi_escape 0x0e, 0x50
#: +0x3c cfa=r31+80 r27=r30 r28=s r29=u r30=c-56 r31=c-16 r65=c-8
	nop
	.cfi_endproc
