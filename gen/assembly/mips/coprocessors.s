# Registers past the general ones: a floating-point register, and the multiplication's results.

	.set noreorder
	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x0..0x10 ra=31
f:	.cfi_startproc
#: +0x0 cfa=r29+0
	addiu $sp, $sp, -32
	.cfi_def_cfa_offset 32
#: +0x4 cfa=r29+32
	sw $ra, 28($sp)
	.cfi_offset 31, -4
	.cfi_offset 52, -16
#: +0x8 cfa=r29+32 r31=c-4 r52=c-16
	nop
	.cfi_undefined 64
	.cfi_undefined 65
#: +0xc cfa=r29+32 r31=c-4 r52=c-16 r64=u r65=u
	nop
	.cfi_endproc
