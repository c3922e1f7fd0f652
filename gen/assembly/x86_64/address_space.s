# A CFA in an address space of its own, an extension for heterogeneous machines.

	.text
#: .eh_frame
#: f 0x0..0x3 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_llvm_def_aspace_cfa %rbp, 32, 6
#: +0x1 cfa=r6+32@6 r16=c-8
	nop
	.cfi_def_cfa %rsp, 16
#: +0x2 cfa=r7+16 r16=c-8
	nop
	.cfi_endproc
