# A function that returns through t0 and saves t0.
.text
.globl f
f:
 .cfi_startproc
 .cfi_return_column t0
 nop
 nop
 .cfi_offset t0,-8
 nop
 .cfi_endproc
