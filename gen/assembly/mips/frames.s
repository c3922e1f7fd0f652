# Frames of several kinds, each of which needs a CIE of its own in .eh_frame: an ordinary one, a signal frame that
# returns through another register, and two with the same personality routine, one of which has an LSDA.

	.set noreorder
	.text
#: .eh_frame
#: ordinary 0x0..0x8 ra=31
ordinary:
	.cfi_startproc
#: +0x0 cfa=r29+0
	nop
	.cfi_def_cfa_offset 64
#: +0x4 cfa=r29+64
	nop
	.cfi_endproc

#: signal 0x8..0x14 ra=25 signal
signal:
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_return_column 25
#: +0x0 cfa=none
	nop
	.cfi_def_cfa 29, 16
#: +0x4 cfa=r29+16
	nop
	.cfi_offset 25, -8
#: +0x8 cfa=r29+16 r25=c-8
	nop
	.cfi_endproc

#: with_lsda 0x14..0x1c ra=31 personality lsda
with_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
	.cfi_lsda 0x1b, lsda
#: +0x0 cfa=r29+0
	nop
	.cfi_offset 16, -32
#: +0x4 cfa=r29+0 r16=c-32
	nop
	.cfi_endproc

#: without_lsda 0x1c..0x20 ra=31 personality
without_lsda:
	.cfi_startproc
	.cfi_personality 0x1b, personality
#: +0x0 cfa=r29+0
	nop
	.cfi_endproc

personality:
	nop

	.section .gcc_except_table, "a", @progbits
	.long 0
lsda:
	.byte 0xff, 0xff, 0x01, 0x00
