# The window save of SPARC on a machine without register windows, where it means nothing.

	.text
#: .eh_frame
#: f 0x0..0x2 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_window_save
	nop
	.cfi_endproc
