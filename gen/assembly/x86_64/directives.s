# The directives as compilers and people write them: registers by name, a personality routine reached through a
# pointer, an LSDA, a function without code, and distances of two and four bytes. Neither assembler knows all
# directives that the other has; these both know.

	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x1..0xf ra=16 personality lsda
personality:
	ret
f:	.cfi_startproc
	.cfi_personality 0x9b, DW.ref.personality
	.cfi_lsda 0x1b, .Llsda
#: +0x0 cfa=r7+8 r16=c-8
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
#: +0x1 cfa=r7+16 r6=c-16 r16=c-8
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
#: +0x4 cfa=r6+16 r6=c-16 r16=c-8
	push %rbx
	.cfi_remember_state
	.cfi_offset %rbx, -24
	.cfi_undefined %r12
	.cfi_same_value %r13
	.cfi_register %r14, %r15
	.cfi_escape 0x2e, 0x10
	.cfi_escape 0x0f, 0x03, 0x76, 0x10, 0x06
#: +0x5 cfa=exp(DW_OP_breg6 16, DW_OP_deref) r3=c-24 r6=c-16 r12=u r13=s r14=r15 r16=c-8
	nop
	.cfi_restore_state
	.cfi_adjust_cfa_offset 8
#: +0x6 cfa=r6+24 r6=c-16 r16=c-8
	nop
	.cfi_rel_offset %rbx, 0
#: +0x7 cfa=r6+24 r3=c-24 r6=c-16 r16=c-8
	pop %rbx
	.cfi_restore %rbx
#: +0x8 cfa=r6+24 r6=c-16 r16=c-8
	pop %rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
#: +0x9 cfa=r7+8 r16=c-8
	ret
	nop
	nop
	nop
	nop
	.cfi_endproc

#: g 0xf..0x11cac ra=16 signal
g:	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_return_column 16
	.cfi_def_cfa %rsp, 8
	.cfi_offset %rip, -8
#: +0x0 cfa=r7+8 r16=c-8
	.fill 300, 1, 0x90
	.cfi_def_cfa_offset 24
#: +0x12c cfa=r7+24 r16=c-8
	.fill 72560, 1, 0x90
	.cfi_def_cfa_offset 32
#: +0x11c9c cfa=r7+32 r16=c-8
	ret
	.cfi_endproc

#: nothing 0x11cac..0x11cac ra=16
	.cfi_startproc
	.cfi_endproc

	.section .gcc_except_table, "a", @progbits
.Llsda:	.byte 0xff, 0xff, 0x01, 0x00

	.hidden DW.ref.personality
	.weak DW.ref.personality
	.section .data.rel.local.DW.ref.personality, "awG", @progbits, DW.ref.personality, comdat
	.balign 8
DW.ref.personality:
	.quad personality
