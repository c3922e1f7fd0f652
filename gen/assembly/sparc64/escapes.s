# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.text
#: .eh_frame
#: f 0x0..0x1c ra=15
f:	.cfi_startproc
#: +0x0 cfa=r14+2047
	nop
	.cfi_escape 0x0f, 0x03, 0x8e, 0x78, 0x06
#: +0x4 cfa=exp(DW_OP_breg30 -8, DW_OP_deref)
	nop
	.cfi_escape 0x10, 24, 0x02, 0x7e, 0x10
#: +0x8 cfa=exp(DW_OP_breg30 -8, DW_OP_deref) r24=exp(DW_OP_breg14 16)
	nop
	.cfi_escape 0x16, 25, 0x03, 0x08, 0x80, 0x22
#: +0xc cfa=exp(DW_OP_breg30 -8, DW_OP_deref) r24=exp(DW_OP_breg14 16) r25=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x2e, 0x20
	nop
	.cfi_escape 0x0c, 14, 0x90, 0x01
#: +0x14 cfa=r14+144 r24=exp(DW_OP_breg14 16) r25=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 24, 0x08, 25
#: +0x18 cfa=r14+144 r24=u r25=s
	nop
	.cfi_endproc
