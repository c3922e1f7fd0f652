# Frames of several kinds, each of which needs a CIE of its own in .eh_frame: an ordinary one, a signal frame that
# returns through another register, and two with the same personality routine, one of which has an LSDA.

	.text
#: .eh_frame
#: ordinary 0x0..0x4 ra=14
ordinary:
	.cfi_startproc
#: +0x0 cfa=r15+160
	nopr %r7
	.cfi_def_cfa_offset 64
#: +0x2 cfa=r15+64
	nopr %r7
	.cfi_endproc

#: signal 0x4..0xa ra=5 signal
signal:
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_return_column 5
#: +0x0 cfa=none
	nopr %r7
	.cfi_def_cfa 15, 16
#: +0x2 cfa=r15+16
	nopr %r7
	.cfi_offset 5, -8
#: +0x4 cfa=r15+16 r5=c-8
	nopr %r7
	.cfi_endproc

#: with_lsda 0xa..0xe ra=14 personality lsda
with_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
	.cfi_lsda 0x1b, lsda
#: +0x0 cfa=r15+160
	nopr %r7
	.cfi_offset 6, -32
#: +0x2 cfa=r15+160 r6=c-32
	nopr %r7
	.cfi_endproc

#: without_lsda 0xe..0x10 ra=14 personality
without_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
#: +0x0 cfa=r15+160
	nopr %r7
	.cfi_endproc

personality:
	nopr %r7

	.section .gcc_except_table, "a", @progbits
	.long 0
lsda:
	.byte 0xff, 0xff, 0x01, 0x00
