# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.option norvc
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x40 ra=1
f:	.cfi_startproc
#: +0x0 cfa=r2+0
	nop
	.cfi_def_cfa 2, 48
#: +0x4 cfa=r2+48
	nop
	.cfi_offset 8, -16
#: +0x8 cfa=r2+48 r8=c-16
	nop
	.cfi_def_cfa_register 8
#: +0xc cfa=r8+48 r8=c-16
	nop
	.cfi_adjust_cfa_offset 16
#: +0x10 cfa=r8+64 r8=c-16
	nop
	.cfi_rel_offset 9, 8
#: +0x14 cfa=r8+64 r8=c-16 r9=c-56
	nop
	.cfi_undefined 18
#: +0x18 cfa=r8+64 r8=c-16 r9=c-56 r18=u
	nop
	.cfi_same_value 19
#: +0x1c cfa=r8+64 r8=c-16 r9=c-56 r18=u r19=s
	nop
	.cfi_register 20, 9
#: +0x20 cfa=r8+64 r8=c-16 r9=c-56 r18=u r19=s r20=r9
	nop
	.cfi_remember_state
	.cfi_restore 9
	.cfi_restore 18
#: +0x24 cfa=r8+64 r8=c-16 r19=s r20=r9
	nop
	.cfi_remember_state
	.cfi_def_cfa 2, 32
#: +0x28 cfa=r2+32 r8=c-16 r19=s r20=r9
	nop
	.cfi_restore_state
#: +0x2c cfa=r8+64 r8=c-16 r19=s r20=r9
	nop
	.cfi_restore_state
#: +0x30 cfa=r8+64 r8=c-16 r9=c-56 r18=u r19=s r20=r9
	nop
	.cfi_def_cfa_offset 128
#: +0x34 cfa=r8+128 r8=c-16 r9=c-56 r18=u r19=s r20=r9
	nop
	.cfi_offset 1, -8
#: +0x38 cfa=r8+128 r1=c-8 r8=c-16 r9=c-56 r18=u r19=s r20=r9
	nop
	.cfi_escape 0x0e, 0x50
#: +0x3c cfa=r8+80 r1=c-8 r8=c-16 r9=c-56 r18=u r19=s r20=r9
	nop
	.cfi_endproc
