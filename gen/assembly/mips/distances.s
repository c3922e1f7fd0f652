# Distances between rows that need the short, the one-byte, the two-byte and the four-byte advance.

	.set noreorder
	.text
#: .eh_frame
#: f 0x0..0x44c54 ra=31
f:	.cfi_startproc
#: +0x0 cfa=r29+0
	.space 4 * 20
	.cfi_def_cfa_offset 64
#: +0x50 cfa=r29+64
	.space 4 * 100
	.cfi_def_cfa_offset 4096
#: +0x1e0 cfa=r29+4096
	.space 4 * 300
	.cfi_def_cfa_offset 8192
#: +0x690 cfa=r29+8192
	.space 4 * 70000
	.cfi_def_cfa_offset 16384
#: +0x44c50 cfa=r29+16384
	nop
	.cfi_endproc
