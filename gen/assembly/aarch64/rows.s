# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x40 ra=30
f:	.cfi_startproc
#: +0x0 cfa=r31+0
	nop
	.cfi_def_cfa 31, 48
#: +0x4 cfa=r31+48
	nop
	.cfi_offset 29, -16
#: +0x8 cfa=r31+48 r29=c-16
	nop
	.cfi_def_cfa_register 29
#: +0xc cfa=r29+48 r29=c-16
	nop
	.cfi_adjust_cfa_offset 16
#: +0x10 cfa=r29+64 r29=c-16
	nop
	.cfi_rel_offset 19, 8
#: +0x14 cfa=r29+64 r19=c-56 r29=c-16
	nop
	.cfi_undefined 20
#: +0x18 cfa=r29+64 r19=c-56 r20=u r29=c-16
	nop
	.cfi_same_value 21
#: +0x1c cfa=r29+64 r19=c-56 r20=u r21=s r29=c-16
	nop
	.cfi_register 22, 19
#: +0x20 cfa=r29+64 r19=c-56 r20=u r21=s r22=r19 r29=c-16
	nop
	.cfi_remember_state
	.cfi_restore 19
	.cfi_restore 20
#: +0x24 cfa=r29+64 r21=s r22=r19 r29=c-16
	nop
	.cfi_remember_state
	.cfi_def_cfa 31, 32
#: +0x28 cfa=r31+32 r21=s r22=r19 r29=c-16
	nop
	.cfi_restore_state
#: +0x2c cfa=r29+64 r21=s r22=r19 r29=c-16
	nop
	.cfi_restore_state
#: +0x30 cfa=r29+64 r19=c-56 r20=u r21=s r22=r19 r29=c-16
	nop
	.cfi_def_cfa_offset 128
#: +0x34 cfa=r29+128 r19=c-56 r20=u r21=s r22=r19 r29=c-16
	nop
	.cfi_offset 30, -8
#: +0x38 cfa=r29+128 r19=c-56 r20=u r21=s r22=r19 r29=c-16 r30=c-8
	nop
	.cfi_escape 0x0e, 0x50
#: +0x3c cfa=r29+80 r19=c-56 r20=u r21=s r22=r19 r29=c-16 r30=c-8
	nop
	.cfi_endproc
