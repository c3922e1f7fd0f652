# Arguments pushed and popped around calls, some by the callee: the CFA offset goes up and down.

	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x0..0x12 ra=8
f:	.cfi_startproc
#: +0x0 cfa=r4+4 r8=c-4
	push %ebx
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %ebx, 0
#: +0x1 cfa=r4+8 r3=c-8 r8=c-4
	push %eax
	.cfi_adjust_cfa_offset 4
#: +0x2 cfa=r4+12 r3=c-8 r8=c-4
	push %edx
	.cfi_adjust_cfa_offset 4
	.cfi_escape 0x2e, 0x08
#: +0x3 cfa=r4+16 r3=c-8 r8=c-4
	call elsewhere
	.cfi_adjust_cfa_offset -8
	.cfi_escape 0x2e, 0x00
#: +0x8 cfa=r4+8 r3=c-8 r8=c-4
	nop
	sub $64, %esp
	.cfi_adjust_cfa_offset 64
#: +0xc cfa=r4+72 r3=c-8 r8=c-4
	add $64, %esp
	.cfi_adjust_cfa_offset -64
#: +0xf cfa=r4+8 r3=c-8 r8=c-4
	pop %ebx
	.cfi_restore %ebx
	.cfi_adjust_cfa_offset -4
#: +0x10 cfa=r4+4 r8=c-4
	ret
	nop
	.cfi_endproc
