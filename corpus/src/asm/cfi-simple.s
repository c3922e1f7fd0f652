# A CIE without instructions: no CFA is defined at first.
 .globl f
f: .cfi_startproc simple
 nop
 .cfi_def_cfa rsp, 8
 ret
 .cfi_endproc
