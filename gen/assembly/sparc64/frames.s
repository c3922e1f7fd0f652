# Frames of several kinds, each of which needs a CIE of its own in .eh_frame: an ordinary one, a signal frame that
# returns through another register, and two with the same personality routine, one of which has an LSDA.

	.text
#: .eh_frame
#: ordinary 0x0..0x8 ra=15
ordinary:
	.cfi_startproc
#: +0x0 cfa=r14+2047
	nop
	.cfi_def_cfa_offset 64
#: +0x4 cfa=r14+64
	nop
	.cfi_endproc

#: signal 0x8..0x14 ra=31 signal
signal:
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_return_column 31
#: +0x0 cfa=none
	nop
	.cfi_def_cfa 14, 16
#: +0x4 cfa=r14+16
	nop
	.cfi_offset 31, -8
#: +0x8 cfa=r14+16 r31=c-8
	nop
	.cfi_endproc

#: with_lsda 0x14..0x1c ra=15 personality lsda
with_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
	.cfi_lsda 0x1b, lsda
#: +0x0 cfa=r14+2047
	nop
	.cfi_offset 24, -32
#: +0x4 cfa=r14+2047 r24=c-32
	nop
	.cfi_endproc

#: without_lsda 0x1c..0x20 ra=15 personality
without_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
#: +0x0 cfa=r14+2047
	nop
	.cfi_endproc

personality:
	nop

	.section .gcc_except_table, "a", @progbits
	.long 0
lsda:
	.byte 0xff, 0xff, 0x01, 0x00
