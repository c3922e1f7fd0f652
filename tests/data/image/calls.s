# Three functions whose calls a linker may shorten, so that every distance across one stays open. For RISC-V; for
# LoongArch, write `la.pcrel $t0,` for call.
	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f1
f1:	.cfi_startproc
	nop
	call f3
	.cfi_def_cfa_offset 32
	call f3
	nop
	.cfi_endproc
f2:	.cfi_startproc
	nop
	.cfi_def_cfa_offset 64
	call f3
	.skip 80
	.cfi_def_cfa_offset 16
	call f3
	.skip 300
	.cfi_def_cfa_offset 48
	nop
	.cfi_endproc
	.section .text.b,"ax"
	nop
f3:	.cfi_startproc
	call f1
	.cfi_def_cfa_offset 64
	nop
	.cfi_endproc
