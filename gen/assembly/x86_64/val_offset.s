# Values that are the CFA plus an offset, by directive and, where the offset goes up, as bytes with a signed operand.

	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x0..0x4 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_val_offset %rbx, -24
#: +0x1 cfa=r7+8 r3=v-24 r16=c-8
	nop
	.cfi_val_offset %r12, 16
#: +0x2 cfa=r7+8 r3=v-24 r12=v+16 r16=c-8
	nop
	.cfi_restore %rbx
#: +0x3 cfa=r7+8 r12=v+16 r16=c-8
	nop
	.cfi_endproc
