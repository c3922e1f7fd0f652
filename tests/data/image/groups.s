# Two sections named .eh_frame, each in the COMDAT group of its function.
	.macro function name
	.section .text.\name,"axG",%progbits,\name,comdat
\name:	.skip 32
	.section .eh_frame,"aG",%progbits,\name,comdat
1:	.long 2f - . - 4
	.long 0
	.byte 1
	.asciz "zR"
	.uleb128 1
	.sleb128 -8
	.byte 16
	.uleb128 1
	.byte 0x1b
	.balign 4
2:	.long 4f - 3f
3:	.long 3b - 1b
	.long \name + 16 - .
	.long 16
	.uleb128 0
	.balign 4
4:
	.endm
	function first
	function second
