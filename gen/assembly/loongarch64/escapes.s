# Instructions as bytes, for those that have no directive: expressions and the size of arguments.

	.text
#: .eh_frame
#: f 0x0..0x1c ra=1
f:	.cfi_startproc
#: +0x0 cfa=r3+0
	nop
	.cfi_escape 0x0f, 0x03, 0x86, 0x78, 0x06
#: +0x4 cfa=exp(DW_OP_breg22 -8, DW_OP_deref)
	nop
	.cfi_escape 0x10, 23, 0x02, 0x73, 0x10
#: +0x8 cfa=exp(DW_OP_breg22 -8, DW_OP_deref) r23=exp(DW_OP_breg3 16)
	nop
	.cfi_escape 0x16, 24, 0x03, 0x08, 0x80, 0x22
#: +0xc cfa=exp(DW_OP_breg22 -8, DW_OP_deref) r23=exp(DW_OP_breg3 16) r24=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x2e, 0x20
	nop
	.cfi_escape 0x0c, 3, 0x90, 0x01
#: +0x14 cfa=r3+144 r23=exp(DW_OP_breg3 16) r24=vexp(DW_OP_const1u 128, DW_OP_plus)
	nop
	.cfi_escape 0x00, 0x00
	.cfi_escape 0x07, 23, 0x08, 24
#: +0x18 cfa=r3+144 r23=u r24=s
	nop
	.cfi_endproc
