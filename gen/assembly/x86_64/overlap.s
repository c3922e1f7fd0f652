# FDEs that claim the same code: the assembler's own, one for a part of it with another CFA, and an empty one.

	.text
f:
	.cfi_startproc
	nop
	nop
	nop
	nop
	.cfi_endproc

	.section .eh_frame, "a", @progbits
.Lcie:	.long .Lcie_end - .Lcie_id
.Lcie_id:
	.long 0
	.byte 1
	.asciz "zR"
	.uleb128 1
	.sleb128 -8
	.byte 16
	.uleb128 1
	.byte 0x1b
	.byte 0x0c, 7, 8, 0x90, 1
	.balign 8
.Lcie_end:

#: .eh_frame
#: part 0x0..0x3 ra=16
	.long .Lpart_end - .Lpart
.Lpart:	.long .Lpart - .Lcie
	.long f - .
	.long 3
	.uleb128 0
	.byte 0x0e, 99
#: +0x0 cfa=r7+99 r16=c-8
	.balign 8
.Lpart_end:

#: empty 0x0..0x0 ra=16
	.long .Lempty_end - .Lempty
.Lempty:
	.long .Lempty - .Lcie
	.long f - .
	.long 0
	.uleb128 0
	.balign 8
.Lempty_end:

#: whole 0x0..0x4 ra=16
#: +0x0 cfa=r7+8 r16=c-8
