# The usual prologue of SPARC: a new register window, the caller's spilled at the CFA, the return address in %i7.

	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x0..0xc ra=15
f:	.cfi_startproc
#: +0x0 cfa=r14+2047
	save %sp, -176, %sp
	.cfi_def_cfa_register 30
	.cfi_window_save
	.cfi_register 15, 31
#: +0x4 cfa=r30+2047 r15=r31 r16=a0 r17=a8 r18=a16 r19=a24 r20=a32 r21=a40 r22=a48 r23=a56 r24=a64 r25=a72 r26=a80 r27=a88 r28=a96 r29=a104 r30=a112 r31=a120
	ret
	restore
	.cfi_endproc
