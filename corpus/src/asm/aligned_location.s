# Initial locations in DW_EH_PE_aligned: the first FDE needs no padding before it,
# the second four bytes.
.text
.globl _start
_start:
f:
nop
nop
g:
nop
nop
.section .eh_frame,"a",@progbits
.balign 8
.Lcie:
.long .Lce-.Lcs
.Lcs:
.long 0
.byte 1
.asciz "zR"
.uleb128 1
.sleb128 -8
.byte 16
.uleb128 1
.byte 0x50
.byte 0x0c,7,8,0x90,1
.balign 4
.Lce:
.balign 4
.Lf:
.long .Lfe-.Lfs
.Lfs:
.long .Lfs-.Lcie
.balign 8
.quad f
.quad 2
.uleb128 0
.byte 0x41,0x0e,16
.balign 8
.byte 0,0,0,0
.Lfe:
.Lg:
.long .Lge-.Lgs
.Lgs:
.long .Lgs-.Lcie
.balign 8
.quad g
.quad 2
.uleb128 0
.byte 0x41,0x0e,16
.balign 8
.Lge:
