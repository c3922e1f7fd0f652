# A CIE without instructions: no CFA is defined at first.

	.text
#: .eh_frame
#: f 0x0..0x2 ra=16
f:	.cfi_startproc simple
#: +0x0 cfa=none
	nop
	.cfi_def_cfa %rsp, 8
#: +0x1 cfa=r7+8
	ret
	.cfi_endproc
