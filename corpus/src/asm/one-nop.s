# One function with call frame information, for targets of any kind.
.text
 nop
f: .cfi_startproc
 nop
 .cfi_endproc
