# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x40 ra=15
f:	.cfi_startproc
#: +0x0 cfa=r14+2047
	nop
	.cfi_def_cfa 14, 48
#: +0x4 cfa=r14+48
	nop
	.cfi_offset 30, -16
#: +0x8 cfa=r14+48 r30=c-16
	nop
	.cfi_def_cfa_register 30
#: +0xc cfa=r30+48 r30=c-16
	nop
	.cfi_adjust_cfa_offset 16
#: +0x10 cfa=r30+64 r30=c-16
	nop
	.cfi_rel_offset 24, 8
#: +0x14 cfa=r30+64 r24=c-56 r30=c-16
	nop
	.cfi_undefined 25
#: +0x18 cfa=r30+64 r24=c-56 r25=u r30=c-16
	nop
	.cfi_same_value 26
#: +0x1c cfa=r30+64 r24=c-56 r25=u r26=s r30=c-16
	nop
	.cfi_register 27, 24
#: +0x20 cfa=r30+64 r24=c-56 r25=u r26=s r27=r24 r30=c-16
	nop
	.cfi_remember_state
	.cfi_restore 24
	.cfi_restore 25
#: +0x24 cfa=r30+64 r26=s r27=r24 r30=c-16
	nop
	.cfi_remember_state
	.cfi_def_cfa 14, 32
#: +0x28 cfa=r14+32 r26=s r27=r24 r30=c-16
	nop
	.cfi_restore_state
#: +0x2c cfa=r30+64 r26=s r27=r24 r30=c-16
	nop
	.cfi_restore_state
#: +0x30 cfa=r30+64 r24=c-56 r25=u r26=s r27=r24 r30=c-16
	nop
	.cfi_def_cfa_offset 128
#: +0x34 cfa=r30+128 r24=c-56 r25=u r26=s r27=r24 r30=c-16
	nop
	.cfi_offset 15, -8
#: +0x38 cfa=r30+128 r15=c-8 r24=c-56 r25=u r26=s r27=r24 r30=c-16
	nop
	.cfi_escape 0x0e, 0x50
#: +0x3c cfa=r30+80 r15=c-8 r24=c-56 r25=u r26=s r27=r24 r30=c-16
	nop
	.cfi_endproc
