# A zero word between a CIE and its FDE in a big-endian section: read one byte too late, the two make a length that
# fits. In .debug_frame a zero length is padding.

	.section .debug_frame, "", @progbits
.Lcie:	.long .Lcie_end - .Lcie_id
.Lcie_id:
	.long 0xffffffff
	.byte 1
	.asciz ""
	.uleb128 1
	.sleb128 -8
	.byte 14
	.byte 0x0c, 15, 0
	.balign 8
.Lcie_end:

	.long 0

#: .debug_frame
#: f 0x1000..0x1010 ra=14
	.long .Lf_end - .Lf
.Lf:	.long .Lcie
	.quad 0x1000
	.quad 0x10
#: +0x0 cfa=r15+0
.Lf_end:
