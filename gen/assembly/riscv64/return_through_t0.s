# Functions that return through t0, as the compiler's helpers for saving registers do: one saves ra, one saves t0.

	.option norvc
	.text
#: .eh_frame
#: f 0x0..0xc ra=5
f:	.cfi_startproc
	.cfi_return_column t0
#: +0x0 cfa=r2+0
	nop
	nop
	.cfi_offset ra, -8
#: +0x8 cfa=r2+0 r1=c-8
	jr t0
	.cfi_endproc

#: g 0xc..0x18 ra=5
g:	.cfi_startproc
	.cfi_return_column t0
#: +0x0 cfa=r2+0
	nop
	nop
	.cfi_offset t0, -8
#: +0x8 cfa=r2+0 r5=c-8
	jr t0
	.cfi_endproc
