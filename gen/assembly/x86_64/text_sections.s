# Functions in several text sections, whose FDEs all start at an address of zero before linking. What tells them
# apart is the symbol of the relocation.

	.cfi_sections .eh_frame, .debug_frame
	.section .text.first, "ax", @progbits
#: .eh_frame .debug_frame
#: first 0x0..0x2 ra=16
first:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_def_cfa_offset 16
#: +0x1 cfa=r7+16 r16=c-8
	ret
	.cfi_endproc

	.section .text.second, "ax", @progbits
#: second 0x0..0x3 ra=16
second:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	nop
	.cfi_def_cfa_offset 32
#: +0x2 cfa=r7+32 r16=c-8
	ret
	.cfi_endproc

	.section .text.first, "ax", @progbits
#: third 0x2..0x4 ra=16
third:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_offset %rbx, -16
#: +0x1 cfa=r7+8 r3=c-16 r16=c-8
	ret
	.cfi_endproc
