# Frames of several kinds, each of which needs a CIE of its own in .eh_frame: an ordinary one, a signal frame that
# returns through another register, and two with the same personality routine, one of which has an LSDA.

	.text
#: .eh_frame
#: ordinary 0x0..0x2 ra=8
ordinary:
	.cfi_startproc
#: +0x0 cfa=r4+4 r8=c-4
	nop
	.cfi_def_cfa_offset 64
#: +0x1 cfa=r4+64 r8=c-4
	nop
	.cfi_endproc

#: signal 0x2..0x5 ra=2 signal
signal:
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_return_column 2
#: +0x0 cfa=none
	nop
	.cfi_def_cfa 4, 16
#: +0x1 cfa=r4+16
	nop
	.cfi_offset 2, -8
#: +0x2 cfa=r4+16 r2=c-8
	nop
	.cfi_endproc

#: with_lsda 0x5..0x7 ra=8 personality lsda
with_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
	.cfi_lsda 0x1b, lsda
#: +0x0 cfa=r4+4 r8=c-4
	nop
	.cfi_offset 3, -32
#: +0x1 cfa=r4+4 r3=c-32 r8=c-4
	nop
	.cfi_endproc

#: without_lsda 0x7..0x8 ra=8 personality
without_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
#: +0x0 cfa=r4+4 r8=c-4
	nop
	.cfi_endproc

personality:
	nop

	.section .gcc_except_table, "a", @progbits
	.long 0
lsda:
	.byte 0xff, 0xff, 0x01, 0x00
