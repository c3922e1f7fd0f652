# Vector registers: their numbers start at 256, and the short forms of instructions reach 63.

	.cfi_sections .eh_frame, .debug_frame
	.arm
	.text
#: .eh_frame .debug_frame
#: f 0x0..0x10 ra=14
f:	.cfi_startproc
#: +0x0 cfa=r13+0
	push {r4, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset r4, -8
	.cfi_offset lr, -4
#: +0x4 cfa=r13+8 r4=c-8 r14=c-4
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset 264, -16
#: +0x8 cfa=r13+16 r4=c-8 r14=c-4 r264=c-16
	nop
	.cfi_restore 264
	.cfi_restore r4
#: +0xc cfa=r13+16 r14=c-4
	nop
	.cfi_endproc
