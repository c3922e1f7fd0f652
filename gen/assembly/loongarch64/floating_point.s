# The prologue and epilogue of a function that saves a floating-point register as well.

	.text
#: .eh_frame
#: f 0x0..0x14 ra=1
f:	.cfi_startproc
#: +0x0 cfa=r3+0
	addi.d $sp, $sp, -32
	.cfi_def_cfa_offset 32
#: +0x4 cfa=r3+32
	st.d $ra, $sp, 24
	.cfi_offset 1, -8
#: +0x8 cfa=r3+32 r1=c-8
	fst.d $fs0, $sp, 16
	.cfi_offset 56, -16
#: +0xc cfa=r3+32 r1=c-8 r56=c-16
	nop
	.cfi_restore 56
	.cfi_restore 1
	.cfi_def_cfa_offset 0
#: +0x10 cfa=r3+0
	ret
	.cfi_endproc
