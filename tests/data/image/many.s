# Enough functions that compression pays.
	.cfi_sections .debug_frame
	.text
	.rept 64
	.cfi_startproc
	.skip 16
	.cfi_def_cfa_offset 32
	.skip 16
	.cfi_endproc
	.endr
