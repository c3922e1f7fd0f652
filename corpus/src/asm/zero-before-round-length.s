# A zero word before a record whose length is a multiple of 256.
 .section .debug_frame,"",@progbits
c: .long 1f-0f
0: .long 0xffffffff
 .byte 1
 .asciz ""
 .uleb128 1
 .sleb128 -8
 .byte 14
 .byte 0xc,15,0
 .balign 8
1: .long 0
 .long 3f-2f
2: .long c
 .quad 0x1000
 .quad 0x10
 .fill 256-20,1,0
3:
