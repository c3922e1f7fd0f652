# A personality routine in DW_EH_PE_aligned: it stands at the next address that is a multiple of eight, behind six
# bytes of padding that the encoding alone announces. The encoding of initial locations follows it.

	.text
f:	nop
	nop

	.section .eh_frame, "a", @progbits
	.balign 8
.Lcie:	.long .Lcie_end - .Lcie_id
.Lcie_id:
	.long 0
	.byte 1
	.asciz "zPR"
	.uleb128 1
	.sleb128 -8
	.byte 16
	.uleb128 .Ldata_end - .Ldata
.Ldata:	.byte 0x50
	.balign 8
	.quad f
	.byte 0x1b
.Ldata_end:
	.byte 0x0c, 7, 8, 0x90, 1
	.balign 8
.Lcie_end:

#: .eh_frame
#: f 0x0..0x2 ra=16 personality
	.long .Lf_end - .Lf
.Lf:	.long .Lf - .Lcie
	.long f - .
	.long 2
	.uleb128 0
#: +0x0 cfa=r7+8 r16=c-8
	.byte 0x41, 0x0e, 16
#: +0x1 cfa=r7+16 r16=c-8
	.balign 8
.Lf_end:
