# The prologue of a function whose stack pointer is recovered as a value: the caller's is the CFA less the register
# save area.

	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x0..0x14 ra=14
f:	.cfi_startproc
#: +0x0 cfa=r15+160
	stmg %r11, %r15, 88(%r15)
	.cfi_offset %r11, -72
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
#: +0x6 cfa=r15+160 r11=c-72 r14=c-48 r15=c-40
	lay %r15, -168(%r15)
	.cfi_def_cfa_offset 328
#: +0xc cfa=r15+328 r11=c-72 r14=c-48 r15=c-40
	nopr %r7
	.cfi_val_offset %r15, -160
#: +0xe cfa=r15+328 r11=c-72 r14=c-48 r15=v-160
	nopr %r7
	.cfi_restore %r14
	.cfi_restore %r15
#: +0x10 cfa=r15+328 r11=c-72
	nopr %r7
	nopr %r7
	.cfi_endproc
