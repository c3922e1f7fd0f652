/* Assembler with `.cfi_` directives of its own: a function of it, and statements inside a C function. Machines that
 * it was not written for get C in its place. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

__attribute__((noinline, used, visibility("hidden"))) unsigned work(unsigned n) {
    sum = sum * 31 + n;
    return sum;
}

unsigned assembled(unsigned n);

#if defined(__x86_64__)
__asm__(".text\n"
        "\t.globl assembled\n"
        "\t.type assembled, %function\n"
        "assembled:\n"
        "\t.cfi_startproc\n"
        "\tpush %rbx\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_rel_offset %rbx, 0\n"
        "\tmov %edi, %ebx\n"
        "\tsub $16, %rsp\n\t.cfi_adjust_cfa_offset 16\n"
        "\tcall work\n"
        "\tadd $16, %rsp\n\t.cfi_adjust_cfa_offset -16\n"
        "\tadd %ebx, %eax\n"
        "\tpop %rbx\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore %rbx\n"
        "\tret\n"
        "\t.cfi_endproc\n"
        "\t.size assembled, .-assembled\n");
#elif defined(__i386__)
__asm__(".text\n"
        "\t.globl assembled\n"
        "\t.type assembled, %function\n"
        "assembled:\n"
        "\t.cfi_startproc\n"
        "\tpush %ebp\n\t.cfi_adjust_cfa_offset 4\n\t.cfi_rel_offset %ebp, 0\n"
        "\tmov %esp, %ebp\n\t.cfi_def_cfa_register %ebp\n"
        "\tpush 8(%ebp)\n"
        "\tcall work\n"
        "\tadd 8(%ebp), %eax\n"
        "\tleave\n\t.cfi_def_cfa %esp, 4\n\t.cfi_restore %ebp\n"
        "\tret\n"
        "\t.cfi_endproc\n"
        "\t.size assembled, .-assembled\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        "\t.globl assembled\n"
        "\t.type assembled, %function\n"
        "assembled:\n"
        "\t.cfi_startproc\n"
        "\tstp x29, x30, [sp, -32]!\n\t.cfi_adjust_cfa_offset 32\n\t.cfi_rel_offset x29, 0\n"
        "\t.cfi_rel_offset x30, 8\n"
        "\tstr x19, [sp, 16]\n\t.cfi_rel_offset x19, 16\n"
        "\tmov w19, w0\n"
        "\tbl work\n"
        "\tadd w0, w0, w19\n"
        "\tldr x19, [sp, 16]\n\t.cfi_restore x19\n"
        "\tldp x29, x30, [sp], 32\n\t.cfi_adjust_cfa_offset -32\n\t.cfi_restore x29\n\t.cfi_restore x30\n"
        "\tret\n"
        "\t.cfi_endproc\n"
        "\t.size assembled, .-assembled\n");
#else
OUT_OF_LINE unsigned assembled(unsigned n) {
    return work(n) + n;
}
#endif

/* Moves the stack pointer, and says so whatever the CFA counts from: for the while, it is in a register. */
OUT_OF_LINE unsigned statement(unsigned n) {
    unsigned before = work(n);
#if defined(__x86_64__) && defined(__GCC_HAVE_DWARF2_CFI_ASM)
    __asm__ volatile(".cfi_remember_state\n\t"
                     ".cfi_def_cfa %%rbx, 0\n\t"
                     "lea -128(%%rsp), %%rsp\n\t"
                     "push %%rax\n\t"
                     "push %%rax\n\t"
                     "mov $5, %%edi\n\t"
                     "call work\n\t"
                     "lea 144(%%rsp), %%rsp\n\t"
                     ".cfi_restore_state"
                     :
                     : "b"(__builtin_dwarf_cfa())
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
    work(5);
#endif
    return before + sum;
}

/* Tells something that holds anyway: a scratch register of the caller is lost. */
OUT_OF_LINE unsigned remark(unsigned n) {
#if defined(__GCC_HAVE_DWARF2_CFI_ASM) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))
    __asm__ volatile("nop\n\t.cfi_remember_state\n\t.cfi_undefined 1\n\tnop\n\t.cfi_restore_state" ::: "memory");
#endif
    return work(n) * 3;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 10; i++)
        total = total * 3 + assembled(i) + statement(i) + remark(i);
    printf("asm_with_cfi %u\n", total);
    return 0;
}
