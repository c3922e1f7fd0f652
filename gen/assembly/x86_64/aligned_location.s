# Initial locations in DW_EH_PE_aligned: they stand at the next address that is a multiple of eight. The first FDE
# needs no padding before it, the second four bytes.

	.text
f:	nop
	nop
g:	nop
	nop

	.section .eh_frame, "a", @progbits
	.balign 8
.Lcie:	.long .Lcie_end - .Lcie_id
.Lcie_id:
	.long 0
	.byte 1
	.asciz "zR"
	.uleb128 1
	.sleb128 -8
	.byte 16
	.uleb128 1
	.byte 0x50
	.byte 0x0c, 7, 8, 0x90, 1
	.balign 4
.Lcie_end:

	.balign 4
#: .eh_frame
#: f 0x0..0x2 ra=16
	.long .Lf_end - .Lf
.Lf:	.long .Lf - .Lcie
	.balign 8
	.quad f
	.quad 2
	.uleb128 0
#: +0x0 cfa=r7+8 r16=c-8
	.byte 0x41, 0x0e, 16
#: +0x1 cfa=r7+16 r16=c-8
	.balign 8
	.long 0
.Lf_end:

#: g 0x2..0x4 ra=16
	.long .Lg_end - .Lg
.Lg:	.long .Lg - .Lcie
	.balign 8
	.quad g
	.quad 2
	.uleb128 0
#: +0x0 cfa=r7+8 r16=c-8
	.byte 0x41, 0x0e, 32
#: +0x1 cfa=r7+32 r16=c-8
	.balign 8
.Lg_end:
