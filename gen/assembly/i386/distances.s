# Distances between rows that need the short, the one-byte, the two-byte and the four-byte advance.

	.text
#: .eh_frame
#: f 0x0..0x44c51 ra=8
f:	.cfi_startproc
#: +0x0 cfa=r4+4 r8=c-4
	.space 4 * 20
	.cfi_def_cfa_offset 64
#: +0x50 cfa=r4+64 r8=c-4
	.space 4 * 100
	.cfi_def_cfa_offset 4096
#: +0x1e0 cfa=r4+4096 r8=c-4
	.space 4 * 300
	.cfi_def_cfa_offset 8192
#: +0x690 cfa=r4+8192 r8=c-4
	.space 4 * 70000
	.cfi_def_cfa_offset 16384
#: +0x44c50 cfa=r4+16384 r8=c-4
	nop
	.cfi_endproc
