# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x10 ra=16
f:	.cfi_startproc
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_def_cfa 7, 48
#: +0x1 cfa=r7+48 r16=c-8
	nop
	.cfi_offset 6, -16
#: +0x2 cfa=r7+48 r6=c-16 r16=c-8
	nop
	.cfi_def_cfa_register 6
#: +0x3 cfa=r6+48 r6=c-16 r16=c-8
	nop
	.cfi_adjust_cfa_offset 16
#: +0x4 cfa=r6+64 r6=c-16 r16=c-8
	nop
	.cfi_rel_offset 3, 8
#: +0x5 cfa=r6+64 r3=c-56 r6=c-16 r16=c-8
	nop
	.cfi_undefined 12
#: +0x6 cfa=r6+64 r3=c-56 r6=c-16 r12=u r16=c-8
	nop
	.cfi_same_value 13
#: +0x7 cfa=r6+64 r3=c-56 r6=c-16 r12=u r13=s r16=c-8
	nop
	.cfi_register 14, 3
#: +0x8 cfa=r6+64 r3=c-56 r6=c-16 r12=u r13=s r14=r3 r16=c-8
	nop
	.cfi_remember_state
	.cfi_restore 3
	.cfi_restore 12
#: +0x9 cfa=r6+64 r6=c-16 r13=s r14=r3 r16=c-8
	nop
	.cfi_remember_state
	.cfi_def_cfa 7, 32
#: +0xa cfa=r7+32 r6=c-16 r13=s r14=r3 r16=c-8
	nop
	.cfi_restore_state
#: +0xb cfa=r6+64 r6=c-16 r13=s r14=r3 r16=c-8
	nop
	.cfi_restore_state
#: +0xc cfa=r6+64 r3=c-56 r6=c-16 r12=u r13=s r14=r3 r16=c-8
	nop
	.cfi_def_cfa_offset 128
#: +0xd cfa=r6+128 r3=c-56 r6=c-16 r12=u r13=s r14=r3 r16=c-8
	nop
	.cfi_offset 16, -24
#: +0xe cfa=r6+128 r3=c-56 r6=c-16 r12=u r13=s r14=r3 r16=c-24
	nop
	.cfi_escape 0x0e, 0x50
#: +0xf cfa=r6+80 r3=c-56 r6=c-16 r12=u r13=s r14=r3 r16=c-24
	nop
	.cfi_endproc
