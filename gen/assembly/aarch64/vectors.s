# Vector registers, whose numbers are too large for the short forms of instructions.

	.text
#: .eh_frame
#: f 0x0..0x10 ra=30
f:	.cfi_startproc
#: +0x0 cfa=r31+0
	stp d8, d9, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset d8, -32
	.cfi_offset d9, -24
#: +0x4 cfa=r31+32 r72=c-32 r73=c-24
	nop
	.cfi_restore d8
#: +0x8 cfa=r31+32 r73=c-24
	nop
	.cfi_same_value d9
#: +0xc cfa=r31+32 r73=s
	ret
	.cfi_endproc
