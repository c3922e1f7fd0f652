# Plain addresses for the personality routine and the LSDA, in two functions of which one has no LSDA: they need two
# CIEs, since L in the augmentation of the first says that each of its FDEs has one.

	.text
#: .eh_frame
#: with_lsda 0x0..0x2 ra=16 personality lsda
with_lsda:
	.cfi_startproc
	.cfi_personality 0x00, personality
	.cfi_lsda 0x00, lsda
#: +0x0 cfa=r7+8 r16=c-8
	nop
	.cfi_def_cfa_offset 16
#: +0x1 cfa=r7+16 r16=c-8
	ret
	.cfi_endproc

#: without_lsda 0x2..0x3 ra=16 personality
without_lsda:
	.cfi_startproc
	.cfi_personality 0x00, personality
#: +0x0 cfa=r7+8 r16=c-8
	ret
	.cfi_endproc

personality:
	ret

	.section .gcc_except_table, "a", @progbits
	.long 0
lsda:	.byte 0xff, 0xff, 0x01, 0x00
