# A function that returns through t0 and saves ra, as gcc -msave-restore has them.
f: .cfi_startproc
 .cfi_return_column t0
 nop
 nop
 .cfi_offset ra, -8
 ret
 .cfi_endproc
