# A personality routine in DW_EH_PE_aligned: it stands at the next address that is a multiple of eight, behind six
# bytes of padding that the encoding alone announces. The R byte follows it.
.text
.globl _start
_start:
f:
nop
nop
.section .eh_frame,"a",@progbits
.balign 8
.Lcie:
.long .Lce-.Lcs
.Lcs:
.long 0
.byte 1
.asciz "zPR"
.uleb128 1
.sleb128 -8
.byte 16
.uleb128 .Lae-.Las
.Las:
.byte 0x50
.balign 8
.quad f
.byte 0x1b
.Lae:
.byte 0x0c,7,8,0x90,1
.balign 8
.Lce:
.long .Lfe-.Lfs
.Lfs:
.long .Lfs-.Lcie
.long f-.
.long 2
.uleb128 0
.byte 0x41,0x0e,16
.balign 8
.Lfe:
