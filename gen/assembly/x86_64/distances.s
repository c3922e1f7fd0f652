# Distances between rows that need the short, the one-byte, the two-byte and the four-byte advance.

	.text
#: .eh_frame
#: f 0x0..0x44c51 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	.space 4 * 20
	.cfi_def_cfa_offset 64
#: +0x50 cfa=r7+64 r16=c-8
	.space 4 * 100
	.cfi_def_cfa_offset 4096
#: +0x1e0 cfa=r7+4096 r16=c-8
	.space 4 * 300
	.cfi_def_cfa_offset 8192
#: +0x690 cfa=r7+8192 r16=c-8
	.space 4 * 70000
	.cfi_def_cfa_offset 16384
#: +0x44c50 cfa=r7+16384 r16=c-8
	nop
	.cfi_endproc
