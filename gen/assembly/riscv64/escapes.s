# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.option norvc
	.text
#: .eh_frame
#: f 0x0..0x1c ra=1
f:	.cfi_startproc
#: +0x0 cfa=r2+0
	nop
	.cfi_escape 0x0f, 0x03, 0x78, 0x78, 0x06
#: +0x4 cfa=exp(DW_OP_breg8 -8, DW_OP_deref)
	nop
	.cfi_escape 0x10, 9, 0x02, 0x72, 0x10
#: +0x8 cfa=exp(DW_OP_breg8 -8, DW_OP_deref) r9=exp(DW_OP_breg2 16)
	nop
	.cfi_escape 0x16, 18, 0x03, 0x08, 0x80, 0x22
#: +0xc cfa=exp(DW_OP_breg8 -8, DW_OP_deref) r9=exp(DW_OP_breg2 16) r18=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x2e, 0x20
	nop
	.cfi_escape 0x0c, 2, 0x90, 0x01
#: +0x14 cfa=r2+144 r9=exp(DW_OP_breg2 16) r18=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 9, 0x08, 18
#: +0x18 cfa=r2+144 r9=u r18=s
	nop
	.cfi_endproc
