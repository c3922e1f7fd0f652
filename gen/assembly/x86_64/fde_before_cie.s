# An FDE that stands before its CIE, which .debug_frame allows: the CIE pointer is an offset from the section's start.

	.text
f:	nop
	nop
	nop
g:	nop
	nop

	.section .debug_frame, "", @progbits
.Lstart:
#: .debug_frame
#: f 0x0..0x3 ra=16
	.long .Lf_end - .Lf
.Lf:	.long .Lcie - .Lstart
	.quad f
	.quad 3
#: +0x0 cfa=r7+8 r16=c-8
	.byte 0x41, 0x0e, 16
#: +0x1 cfa=r7+16 r16=c-8
	.balign 8
.Lf_end:

.Lcie:	.long .Lcie_end - .Lcie_id
.Lcie_id:
	.long 0xffffffff
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

#: g 0x3..0x5 ra=16
	.long .Lg_end - .Lg
.Lg:	.long .Lcie - .Lstart
	.quad g
	.quad 2
#: +0x0 cfa=r7+8 r16=c-8
	.byte 0x41, 0x0e, 32
#: +0x1 cfa=r7+32 r16=c-8
	.balign 8
.Lg_end:
