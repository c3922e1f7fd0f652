# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.text
#: .eh_frame
#: f 0x0..0x7 ra=8
f:	.cfi_startproc
#: +0x0 cfa=r4+4 r8=c-4
	nop
	.cfi_escape 0x0f, 0x03, 0x75, 0x78, 0x06
#: +0x1 cfa=exp(DW_OP_breg5 -8, DW_OP_deref) r8=c-4
	nop
	.cfi_escape 0x10, 3, 0x02, 0x74, 0x10
#: +0x2 cfa=exp(DW_OP_breg5 -8, DW_OP_deref) r3=exp(DW_OP_breg4 16) r8=c-4
	nop
	.cfi_escape 0x16, 6, 0x03, 0x08, 0x80, 0x22
#: +0x3 cfa=exp(DW_OP_breg5 -8, DW_OP_deref) r3=exp(DW_OP_breg4 16) r6=vexp(DW_OP_const1u 128, DW_OP_plus) r8=c-4
	nop
	.cfi_escape 0x2e, 0x20
	nop
	.cfi_escape 0x0c, 4, 0x90, 0x01
#: +0x5 cfa=r4+144 r3=exp(DW_OP_breg4 16) r6=vexp(DW_OP_const1u 128, DW_OP_plus) r8=c-4
	nop
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 3, 0x08, 6
#: +0x6 cfa=r4+144 r3=u r6=s r8=c-4
	nop
	.cfi_endproc
