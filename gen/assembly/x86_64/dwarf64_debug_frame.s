# The 64-bit format in .debug_frame: lengths, the CIE's id and the CIE pointer have eight bytes.

	.text
f:	nop
	nop

	.section .debug_frame, "", @progbits
.Lcie:	.long 0xffffffff
	.quad .Lcie_end - .Lcie_id
.Lcie_id:
	.quad 0xffffffffffffffff
	.byte 4
	.asciz ""
	.byte 8
	.byte 0
	.uleb128 1
	.sleb128 -8
	.uleb128 16
	.byte 0x0c, 7, 8, 0x90, 1
	.balign 8
.Lcie_end:

#: .debug_frame
#: f 0x0..0x2 ra=16
	.long 0xffffffff
	.quad .Lf_end - .Lf
.Lf:	.quad .Lcie
	.quad f
	.quad 2
#: +0x0 cfa=r7+8 r16=c-8
	.byte 0x41, 0x0e, 16
#: +0x1 cfa=r7+16 r16=c-8
	.balign 8
.Lf_end:
