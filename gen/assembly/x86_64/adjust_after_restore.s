# An adjustment after a state was taken back counts from the offset of that state.

	.text
#: .eh_frame
#: f 0x0..0x4 ra=16
f:	.cfi_startproc
	.cfi_remember_state
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_def_cfa_offset 32
#: +0x1 cfa=r7+32 r16=c-8
	nop
	.cfi_restore_state
#: +0x2 cfa=r7+8 r16=c-8
	nop
	.cfi_adjust_cfa_offset 8
#: +0x3 cfa=r7+16 r16=c-8
	nop
	.cfi_endproc
