# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.text
#: .eh_frame
#: f 0x0..0xe ra=14
f:	.cfi_startproc
#: +0x0 cfa=r15+160
	nopr %r7
	.cfi_escape 0x0f, 0x03, 0x7b, 0x78, 0x06
#: +0x2 cfa=exp(DW_OP_breg11 -8, DW_OP_deref)
	nopr %r7
	.cfi_escape 0x10, 6, 0x02, 0x7f, 0x10
#: +0x4 cfa=exp(DW_OP_breg11 -8, DW_OP_deref) r6=exp(DW_OP_breg15 16)
	nopr %r7
	.cfi_escape 0x16, 7, 0x03, 0x08, 0x80, 0x22
#: +0x6 cfa=exp(DW_OP_breg11 -8, DW_OP_deref) r6=exp(DW_OP_breg15 16) r7=vexp(DW_OP_const1u 128, DW_OP_plus)
	nopr %r7
	.cfi_escape 0x2e, 0x20
	nopr %r7
	.cfi_escape 0x0c, 15, 0x90, 0x01
#: +0xa cfa=r15+144 r6=exp(DW_OP_breg15 16) r7=vexp(DW_OP_const1u 128, DW_OP_plus)
	nopr %r7
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 6, 0x08, 7
#: +0xc cfa=r15+144 r6=u r7=s
	nopr %r7
	.cfi_endproc
