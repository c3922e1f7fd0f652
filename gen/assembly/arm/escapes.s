# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.arm
	.text
#: .eh_frame
#: f 0x0..0x1c ra=14
f:	.cfi_startproc
#: +0x0 cfa=r13+0
	nop
	.cfi_escape 0x0f, 0x03, 0x7b, 0x78, 0x06
#: +0x4 cfa=exp(DW_OP_breg11 -8, DW_OP_deref)
	nop
	.cfi_escape 0x10, 4, 0x02, 0x7d, 0x10
#: +0x8 cfa=exp(DW_OP_breg11 -8, DW_OP_deref) r4=exp(DW_OP_breg13 16)
	nop
	.cfi_escape 0x16, 5, 0x03, 0x08, 0x80, 0x22
#: +0xc cfa=exp(DW_OP_breg11 -8, DW_OP_deref) r4=exp(DW_OP_breg13 16) r5=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x2e, 0x20
	nop
	.cfi_escape 0x0c, 13, 0x90, 0x01
#: +0x14 cfa=r13+144 r4=exp(DW_OP_breg13 16) r5=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 4, 0x08, 5
#: +0x18 cfa=r13+144 r4=u r5=s
	nop
	.cfi_endproc
