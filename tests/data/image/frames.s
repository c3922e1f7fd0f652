# Three functions in two sections, for any machine that GNU as knows.
	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f1
f1:	.cfi_startproc
	.skip 16
	.cfi_def_cfa_offset 32
	.skip 16
	.cfi_endproc
f2:	.cfi_startproc
	.skip 32
	.cfi_def_cfa_offset 64
	.skip 400
	.cfi_def_cfa_offset 16
	.skip 32
	.cfi_endproc
	.section .text.b,"ax"
	.skip 8
f3:	.cfi_startproc
	.skip 32
	.cfi_def_cfa_offset 64
	.skip 32
	.cfi_endproc
