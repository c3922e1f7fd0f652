# Calls that the linker may shorten: until then, no assembler knows how far apart the rows are, and the advances are
# sums and differences of relocations.

	.option norvc
	.text
#: .eh_frame
#: f 0x0..0x18 ra=1
f:	.cfi_startproc
#: +0x0 cfa=r2+0
	addi sp, sp, -16
	.cfi_def_cfa_offset 16
#: +0x4 cfa=r2+16
	call elsewhere
	.cfi_offset s0, -8
#: +0xc cfa=r2+16 r8=c-8
	call elsewhere
	.cfi_restore s0
	.cfi_def_cfa_offset 0
#: +0x14 cfa=r2+0
	ret
	.cfi_endproc

#: g 0x18..0x20 ra=1
g:	.cfi_startproc
#: +0x0 cfa=r2+0
	tail elsewhere
	.cfi_endproc
