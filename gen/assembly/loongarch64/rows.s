# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x40 ra=1
f:	.cfi_startproc
#: +0x0 cfa=r3+0
	nop
	.cfi_def_cfa 3, 48
#: +0x4 cfa=r3+48
	nop
	.cfi_offset 22, -16
#: +0x8 cfa=r3+48 r22=c-16
	nop
	.cfi_def_cfa_register 22
#: +0xc cfa=r22+48 r22=c-16
	nop
	.cfi_adjust_cfa_offset 16
#: +0x10 cfa=r22+64 r22=c-16
	nop
	.cfi_rel_offset 23, 8
#: +0x14 cfa=r22+64 r22=c-16 r23=c-56
	nop
	.cfi_undefined 24
#: +0x18 cfa=r22+64 r22=c-16 r23=c-56 r24=u
	nop
	.cfi_same_value 25
#: +0x1c cfa=r22+64 r22=c-16 r23=c-56 r24=u r25=s
	nop
	.cfi_register 26, 23
#: +0x20 cfa=r22+64 r22=c-16 r23=c-56 r24=u r25=s r26=r23
	nop
	.cfi_remember_state
	.cfi_restore 23
	.cfi_restore 24
#: +0x24 cfa=r22+64 r22=c-16 r25=s r26=r23
	nop
	.cfi_remember_state
	.cfi_def_cfa 3, 32
#: +0x28 cfa=r3+32 r22=c-16 r25=s r26=r23
	nop
	.cfi_restore_state
#: +0x2c cfa=r22+64 r22=c-16 r25=s r26=r23
	nop
	.cfi_restore_state
#: +0x30 cfa=r22+64 r22=c-16 r23=c-56 r24=u r25=s r26=r23
	nop
	.cfi_def_cfa_offset 128
#: +0x34 cfa=r22+128 r22=c-16 r23=c-56 r24=u r25=s r26=r23
	nop
	.cfi_offset 1, -8
#: +0x38 cfa=r22+128 r1=c-8 r22=c-16 r23=c-56 r24=u r25=s r26=r23
	nop
	.cfi_escape 0x0e, 0x50
#: +0x3c cfa=r22+80 r1=c-8 r22=c-16 r23=c-56 r24=u r25=s r26=r23
	nop
	.cfi_endproc
