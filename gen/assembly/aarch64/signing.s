# Signed return addresses: the signature goes on and comes off, and a frame inside remembers it. The key A needs no
# mark in the CIE.

	.cfi_sections .eh_frame, .debug_frame
	.text
#: .eh_frame .debug_frame
#: f 0x0..0x1c ra=30
f:	.cfi_startproc
#: +0x0 cfa=r31+0
	hint #25
	.cfi_negate_ra_state
#: +0x4 cfa=r31+0 r34=a1
	stp x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
#: +0x8 cfa=r31+16 r29=c-16 r30=c-8 r34=a1
	nop
	.cfi_remember_state
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
#: +0xc cfa=r31+0 r34=a1
	hint #29
	.cfi_negate_ra_state
#: +0x10 cfa=r31+0 r34=a0
	ret
	.cfi_restore_state
#: +0x14 cfa=r31+16 r29=c-16 r30=c-8 r34=a1
	nop
	ret
	.cfi_endproc
