/* Assembler that moves the stack pointer and says nothing: its rows are wrong while it lasts, and right before and
 * after. What the program does tells that from the table, no reader can. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

__attribute__((noinline, used, visibility("hidden"))) unsigned work(unsigned n) {
    sum = sum * 31 + n;
    return sum;
}

unsigned assembled(unsigned n);

/* A function of assembler without an FDE. */
#if defined(__x86_64__)
__asm__(".text\n"
        "\t.globl assembled\n"
        "\t.type assembled, %function\n"
        "assembled:\n"
        "\tpush %rbx\n"
        "\tmov %edi, %ebx\n"
        "1:\tmov %ebx, %edi\n"
        "\tcall work\n"
        "\tdec %ebx\n"
        "\tjns 1b\n"
        "\tpop %rbx\n"
        "\tret\n"
        "\t.size assembled, .-assembled\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        "\t.globl assembled\n"
        "\t.type assembled, %function\n"
        "assembled:\n"
        "\tstp x19, x30, [sp, -16]!\n"
        "\tmov w19, w0\n"
        "1:\tmov w0, w19\n"
        "\tbl work\n"
        "\tsubs w19, w19, 1\n"
        "\tb.ge 1b\n"
        "\tldp x19, x30, [sp], 16\n"
        "\tret\n"
        "\t.size assembled, .-assembled\n");
#else
OUT_OF_LINE unsigned assembled(unsigned n) {
    unsigned last = 0;
    for (unsigned i = 0; i <= n; i++)
        last = work(n - i);
    return last;
}
#endif

OUT_OF_LINE unsigned statement(unsigned n) {
    unsigned before = work(n);
#if defined(__x86_64__)
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                     "push %%rax\n\t"
                     "push %%rax\n\t"
                     "mov $5, %%edi\n\t"
                     "call work\n\t"
                     "lea 144(%%rsp), %%rsp"
                     :
                     :
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
    work(5);
#endif
    return before + sum;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 10; i++)
        total = total * 3 + assembled(i) + statement(i);
    printf("asm_without_cfi %u\n", total);
    return 0;
}
