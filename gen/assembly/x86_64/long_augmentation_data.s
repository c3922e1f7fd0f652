# Twenty bytes of augmentation data in a CIE, of which the letters use one. The rest is to be skipped.

	.text
f:	ret

	.section .eh_frame, "a", @progbits
.Lcie:	.long .Lcie_end - .Lcie_id
.Lcie_id:
	.long 0
	.byte 1
	.asciz "zR"
	.uleb128 1
	.sleb128 -8
	.byte 16
	.uleb128 20
	.byte 0x1b
	.fill 19, 1, 0x55
	.byte 0x0c, 7, 8, 0x90, 1
	.balign 4
.Lcie_end:

#: .eh_frame
#: f 0x0..0x1 ra=16
	.long .Lf_end - .Lf
.Lf:	.long .Lf - .Lcie
	.long f - .
	.long 1
	.uleb128 0
#: +0x0 cfa=r7+8 r16=c-8
	.balign 4
.Lf_end:
