# General registers kept in floating-point registers, which leaf functions do, and those saved in memory.

	.text
#: .eh_frame
#: f 0x0..0xc ra=14
f:	.cfi_startproc
#: +0x0 cfa=r15+160
	ldgr %f0, %r11
	.cfi_register %r11, %f0
#: +0x4 cfa=r15+160 r11=r16
	std %f8, 120(%r15)
	.cfi_offset %f8, -40
#: +0x8 cfa=r15+160 r11=r16 r24=c-40
	nopr %r7
	.cfi_restore %f8
#: +0xa cfa=r15+160 r11=r16
	nopr %r7
	.cfi_endproc
