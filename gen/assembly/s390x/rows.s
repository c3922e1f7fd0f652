# Every directive that all assemblers know, one for each instruction, into both sections.

	.cfi_sections .eh_frame, .debug_frame
	.text
	.globl f
#: .eh_frame .debug_frame
#: f 0x0..0x20 ra=14
f:	.cfi_startproc
#: +0x0 cfa=r15+160
	nopr %r7
	.cfi_def_cfa 15, 48
#: +0x2 cfa=r15+48
	nopr %r7
	.cfi_offset 11, -16
#: +0x4 cfa=r15+48 r11=c-16
	nopr %r7
	.cfi_def_cfa_register 11
#: +0x6 cfa=r11+48 r11=c-16
	nopr %r7
	.cfi_adjust_cfa_offset 16
#: +0x8 cfa=r11+64 r11=c-16
	nopr %r7
	.cfi_rel_offset 6, 8
#: +0xa cfa=r11+64 r6=c-56 r11=c-16
	nopr %r7
	.cfi_undefined 7
#: +0xc cfa=r11+64 r6=c-56 r7=u r11=c-16
	nopr %r7
	.cfi_same_value 8
#: +0xe cfa=r11+64 r6=c-56 r7=u r8=s r11=c-16
	nopr %r7
	.cfi_register 9, 6
#: +0x10 cfa=r11+64 r6=c-56 r7=u r8=s r9=r6 r11=c-16
	nopr %r7
	.cfi_remember_state
	.cfi_restore 6
	.cfi_restore 7
#: +0x12 cfa=r11+64 r8=s r9=r6 r11=c-16
	nopr %r7
	.cfi_remember_state
	.cfi_def_cfa 15, 32
#: +0x14 cfa=r15+32 r8=s r9=r6 r11=c-16
	nopr %r7
	.cfi_restore_state
#: +0x16 cfa=r11+64 r8=s r9=r6 r11=c-16
	nopr %r7
	.cfi_restore_state
#: +0x18 cfa=r11+64 r6=c-56 r7=u r8=s r9=r6 r11=c-16
	nopr %r7
	.cfi_def_cfa_offset 128
#: +0x1a cfa=r11+128 r6=c-56 r7=u r8=s r9=r6 r11=c-16
	nopr %r7
	.cfi_offset 14, -8
#: +0x1c cfa=r11+128 r6=c-56 r7=u r8=s r9=r6 r11=c-16 r14=c-8
	nopr %r7
	.cfi_escape 0x0e, 0x50
#: +0x1e cfa=r11+80 r6=c-56 r7=u r8=s r9=r6 r11=c-16 r14=c-8
	nopr %r7
	.cfi_endproc
