/* Floating-point values that live across calls: they stay in callee-saved registers where the ABI has such, and
 * their rules have numbers past the general registers. All values are small multiples of a quarter, hence exact. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

/* On x86-64 only the calling convention of Windows saves such registers. */
#if defined(__x86_64__)
#define SAVES_ALL __attribute__((noinline, ms_abi))
#else
#define SAVES_ALL __attribute__((noinline))
#endif

volatile double quarter = 0.25;
volatile unsigned sum = 1;

OUT_OF_LINE double step(double a) {
    sum = sum * 31 + (unsigned)(a * 4.0);
    return a + quarter;
}

OUT_OF_LINE double eight(double a) {
    double b = step(a), c = step(b), d = step(c), e = step(d), f = step(e), g = step(f), h = step(g);
    double total = step(h);
    for (unsigned i = 0; i < 3; i++)
        total = step(a + b) + step(c + d) + step(e + f) + step(g + h);
    return total + a + b + c + d + e + f + g + h;
}

SAVES_ALL unsigned across(unsigned n) {
    double a = step(n), b = step(a);
    double total = eight(a) + eight(b);
    return (unsigned)(total * 4.0) + (unsigned)(a + b);
}

OUT_OF_LINE unsigned mixed(unsigned n, double a, unsigned m, double b) {
    double c = step(a + n), d = step(b + m);
    return (unsigned)((c + d) * 4.0) * n + m;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 10; i++)
        total = total * 3 + across(i) + mixed(i, i + 0.5, i * 2, i + 0.75);
    printf("floating_point %u\n", total + sum);
    return 0;
}
