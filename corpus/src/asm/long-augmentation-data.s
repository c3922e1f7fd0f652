# Twenty bytes of augmentation data, of which the letters use one.
 .section .eh_frame,"a",@progbits
c: .long 1f-0f
0: .long 0
 .byte 1
 .asciz "zR"
 .uleb128 1
 .sleb128 -8
 .byte 16
 .uleb128 20
 .byte 0x1b
 .fill 19,1,0x55
 .byte 0xc,7,8,0x90,1
 .balign 4
1: .long 3f-2f
2: .long 2b-c
 .long f-.
 .long 1
 .uleb128 0
 .balign 4
3:
 .text
f: ret
