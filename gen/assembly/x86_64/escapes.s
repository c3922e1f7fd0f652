# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.text
#: .eh_frame
#: f 0x0..0x7 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06
#: +0x1 cfa=exp(DW_OP_breg6 -8, DW_OP_deref) r16=c-8
	nop
	.cfi_escape 0x10, 3, 0x02, 0x77, 0x10
#: +0x2 cfa=exp(DW_OP_breg6 -8, DW_OP_deref) r3=exp(DW_OP_breg7 16) r16=c-8
	nop
	.cfi_escape 0x16, 12, 0x03, 0x08, 0x80, 0x22
#: +0x3 cfa=exp(DW_OP_breg6 -8, DW_OP_deref) r3=exp(DW_OP_breg7 16) r12=vexp(DW_OP_const1u 128, DW_OP_plus) r16=c-8
	nop
	.cfi_escape 0x2e, 0x20
	nop
	.cfi_escape 0x0c, 7, 0x90, 0x01
#: +0x5 cfa=r7+144 r3=exp(DW_OP_breg7 16) r12=vexp(DW_OP_const1u 128, DW_OP_plus) r16=c-8
	nop
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 3, 0x08, 12
#: +0x6 cfa=r7+144 r3=u r12=s r16=c-8
	nop
	.cfi_endproc
