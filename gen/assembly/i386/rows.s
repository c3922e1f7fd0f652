# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x10 ra=8
f:	.cfi_startproc
#: +0x0 cfa=r4+4 r8=c-4
	nop
	.cfi_def_cfa 4, 48
#: +0x1 cfa=r4+48 r8=c-4
	nop
	.cfi_offset 5, -16
#: +0x2 cfa=r4+48 r5=c-16 r8=c-4
	nop
	.cfi_def_cfa_register 5
#: +0x3 cfa=r5+48 r5=c-16 r8=c-4
	nop
	.cfi_adjust_cfa_offset 16
#: +0x4 cfa=r5+64 r5=c-16 r8=c-4
	nop
	.cfi_rel_offset 3, 8
#: +0x5 cfa=r5+64 r3=c-56 r5=c-16 r8=c-4
	nop
	.cfi_undefined 6
#: +0x6 cfa=r5+64 r3=c-56 r5=c-16 r6=u r8=c-4
	nop
	.cfi_same_value 7
#: +0x7 cfa=r5+64 r3=c-56 r5=c-16 r6=u r7=s r8=c-4
	nop
	.cfi_register 1, 3
#: +0x8 cfa=r5+64 r1=r3 r3=c-56 r5=c-16 r6=u r7=s r8=c-4
	nop
	.cfi_remember_state
	.cfi_restore 3
	.cfi_restore 6
#: +0x9 cfa=r5+64 r1=r3 r5=c-16 r7=s r8=c-4
	nop
	.cfi_remember_state
	.cfi_def_cfa 4, 32
#: +0xa cfa=r4+32 r1=r3 r5=c-16 r7=s r8=c-4
	nop
	.cfi_restore_state
#: +0xb cfa=r5+64 r1=r3 r5=c-16 r7=s r8=c-4
	nop
	.cfi_restore_state
#: +0xc cfa=r5+64 r1=r3 r3=c-56 r5=c-16 r6=u r7=s r8=c-4
	nop
	.cfi_def_cfa_offset 128
#: +0xd cfa=r5+128 r1=r3 r3=c-56 r5=c-16 r6=u r7=s r8=c-4
	nop
	.cfi_offset 8, -8
#: +0xe cfa=r5+128 r1=r3 r3=c-56 r5=c-16 r6=u r7=s r8=c-8
	nop
	.cfi_escape 0x0e, 0x50
#: +0xf cfa=r5+80 r1=r3 r3=c-56 r5=c-16 r6=u r7=s r8=c-8
	nop
	.cfi_endproc
