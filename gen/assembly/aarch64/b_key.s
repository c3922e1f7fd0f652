# Return addresses signed with the B key, which the CIE's augmentation tells, beside a function that signs nothing.

	.text
#: .eh_frame
#: f 0x0..0xc ra=30 b-key
f:	.cfi_startproc
	.cfi_b_key_frame
#: +0x0 cfa=r31+0
	hint #27
	.cfi_negate_ra_state
#: +0x4 cfa=r31+0 r34=a1
	hint #31
	.cfi_negate_ra_state
#: +0x8 cfa=r31+0 r34=a0
	ret
	.cfi_endproc

#: g 0xc..0x10 ra=30
g:	.cfi_startproc
#: +0x0 cfa=r31+0
	ret
	.cfi_endproc
