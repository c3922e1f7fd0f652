# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.arm
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x40 ra=14
f:	.cfi_startproc
#: +0x0 cfa=r13+0
	nop
	.cfi_def_cfa 13, 48
#: +0x4 cfa=r13+48
	nop
	.cfi_offset 11, -16
#: +0x8 cfa=r13+48 r11=c-16
	nop
	.cfi_def_cfa_register 11
#: +0xc cfa=r11+48 r11=c-16
	nop
	.cfi_adjust_cfa_offset 16
#: +0x10 cfa=r11+64 r11=c-16
	nop
	.cfi_rel_offset 4, 8
#: +0x14 cfa=r11+64 r4=c-56 r11=c-16
	nop
	.cfi_undefined 5
#: +0x18 cfa=r11+64 r4=c-56 r5=u r11=c-16
	nop
	.cfi_same_value 6
#: +0x1c cfa=r11+64 r4=c-56 r5=u r6=s r11=c-16
	nop
	.cfi_register 7, 4
#: +0x20 cfa=r11+64 r4=c-56 r5=u r6=s r7=r4 r11=c-16
	nop
	.cfi_remember_state
	.cfi_restore 4
	.cfi_restore 5
#: +0x24 cfa=r11+64 r6=s r7=r4 r11=c-16
	nop
	.cfi_remember_state
	.cfi_def_cfa 13, 32
#: +0x28 cfa=r13+32 r6=s r7=r4 r11=c-16
	nop
	.cfi_restore_state
#: +0x2c cfa=r11+64 r6=s r7=r4 r11=c-16
	nop
	.cfi_restore_state
#: +0x30 cfa=r11+64 r4=c-56 r5=u r6=s r7=r4 r11=c-16
	nop
	.cfi_def_cfa_offset 128
#: +0x34 cfa=r11+128 r4=c-56 r5=u r6=s r7=r4 r11=c-16
	nop
	.cfi_offset 14, -8
#: +0x38 cfa=r11+128 r4=c-56 r5=u r6=s r7=r4 r11=c-16 r14=c-8
	nop
	.cfi_escape 0x0e, 0x50
#: +0x3c cfa=r11+80 r4=c-56 r5=u r6=s r7=r4 r11=c-16 r14=c-8
	nop
	.cfi_endproc
