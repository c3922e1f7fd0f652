# A frame whose stack memory is tagged, which the CIE's augmentation tells.

	.text
#: .eh_frame
#: f 0x0..0x8 ra=30 mte
f:	.cfi_startproc
	.cfi_mte_tagged_frame
#: +0x0 cfa=r31+0
	nop
	.cfi_def_cfa_offset 32
#: +0x4 cfa=r31+32
	ret
	.cfi_endproc
