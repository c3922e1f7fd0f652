# Instructions as bytes whose operands count in units of the data alignment factor, -8: with signed operands, and the
# obsolete one that counts downwards.

	.text
#: .eh_frame
#: f 0x0..0x6 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_escape 0x12, 0x07, 0x7e
#: +0x1 cfa=r7+16 r16=c-8
	nop
	.cfi_escape 0x13, 0x7d
#: +0x2 cfa=r7+24 r16=c-8
	nop
	.cfi_escape 0x11, 0x0c, 0x7f
#: +0x3 cfa=r7+24 r12=c+8 r16=c-8
	nop
	.cfi_escape 0x14, 0x0d, 0x02
#: +0x4 cfa=r7+24 r12=c+8 r13=v-16 r16=c-8
	nop
	.cfi_escape 0x15, 0x0e, 0x7e
#: +0x5 cfa=r7+24 r12=c+8 r13=v-16 r14=v+16 r16=c-8
	nop
	.cfi_endproc

#: g 0x6..0x9 ra=16
g:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_escape 0x2f, 0x03, 0x02
#: +0x1 cfa=r7+8 r3=c+16 r16=c-8
	nop
	.cfi_escape 0x05, 0x43, 0x04
#: +0x2 cfa=r7+8 r3=c+16 r16=c-8 r67=c-32
	nop
	.cfi_endproc
