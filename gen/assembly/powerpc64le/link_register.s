# The prologue: the link register is in r0 for a while, then in memory, and the condition register is saved.

	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x0..0x14 ra=65
f:	.cfi_startproc
#: +0x0 cfa=r1+0
	mflr 0
	.cfi_register 65, 0
#: +0x4 cfa=r1+0 r65=r0
	nop
	.cfi_offset 65, 16
#: +0x8 cfa=r1+0 r65=c+16
	nop
	.cfi_offset 70, 8
	.cfi_def_cfa_offset 64
#: +0xc cfa=r1+64 r65=c+16 r70=c+8
	mtlr 0
	.cfi_restore 65
	.cfi_restore 70
	.cfi_def_cfa_offset 0
#: +0x10 cfa=r1+0
	blr
	.cfi_endproc
