# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.text
#: .eh_frame
#: f 0x0..0x1c ra=65
f:	.cfi_startproc
#: +0x0 cfa=r1+0
	nop
	.cfi_escape 0x0f, 0x03, 0x8f, 0x78, 0x06
#: +0x4 cfa=exp(DW_OP_breg31 -8, DW_OP_deref)
	nop
	.cfi_escape 0x10, 30, 0x02, 0x71, 0x10
#: +0x8 cfa=exp(DW_OP_breg31 -8, DW_OP_deref) r30=exp(DW_OP_breg1 16)
	nop
	.cfi_escape 0x16, 29, 0x03, 0x08, 0x80, 0x22
#: +0xc cfa=exp(DW_OP_breg31 -8, DW_OP_deref) r29=vexp(DW_OP_const1u 128, DW_OP_plus) r30=exp(DW_OP_breg1 16)
	nop
	.cfi_escape 0x2e, 0x20
	nop
	.cfi_escape 0x0c, 1, 0x90, 0x01
#: +0x14 cfa=r1+144 r29=vexp(DW_OP_const1u 128, DW_OP_plus) r30=exp(DW_OP_breg1 16)
	nop
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 30, 0x08, 29
#: +0x18 cfa=r1+144 r29=s r30=u
	nop
	.cfi_endproc
