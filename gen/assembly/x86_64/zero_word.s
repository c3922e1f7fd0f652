# A zero word between a CIE and its FDE, whose length is a multiple of 256: read one byte too early, the two make
# another length. In .debug_frame a zero length is padding.

	.section .debug_frame, "", @progbits
.Lcie:	.long .Lcie_end - .Lcie_id
.Lcie_id:
	.long 0xffffffff
	.byte 1
	.asciz ""
	.uleb128 1
	.sleb128 -8
	.byte 16
	.byte 0x0c, 7, 8
	.balign 8
.Lcie_end:

	.long 0

#: .debug_frame
#: f 0x1000..0x1010 ra=16
	.long .Lf_end - .Lf
.Lf:	.long .Lcie
	.quad 0x1000
	.quad 0x10
#: +0x0 cfa=r7+8
	.fill 256 - 20, 1, 0
.Lf_end:
