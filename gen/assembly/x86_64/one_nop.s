# One function of one instruction and nothing that only some assemblers know: for machines of any kind.

	.text
	nop
#: .eh_frame
#: f 0x1..0x2 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_endproc
