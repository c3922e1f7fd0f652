# Distances between rows that need the short, the one-byte, the two-byte and the four-byte advance.

	.text
#: .eh_frame
#: f 0x0..0x44c54 ra=30
f:	.cfi_startproc
#: +0x0 cfa=r31+0
	.space 4 * 20
	.cfi_def_cfa_offset 64
#: +0x50 cfa=r31+64
	.space 4 * 100
	.cfi_def_cfa_offset 4096
#: +0x1e0 cfa=r31+4096
	.space 4 * 300
	.cfi_def_cfa_offset 8192
#: +0x690 cfa=r31+8192
	.space 4 * 70000
	.cfi_def_cfa_offset 16384
#: +0x44c50 cfa=r31+16384
	nop
	.cfi_endproc
