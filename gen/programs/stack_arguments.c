/* More arguments than any ABI has registers for: they are stored below the frame, or pushed one by one, which moves
 * the CFA offset in functions without a frame pointer. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

OUT_OF_LINE unsigned twelve(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,
                            unsigned h, unsigned i, unsigned j, unsigned k, unsigned l) {
    sum = sum * 31 + a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
    return sum + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l;
}

OUT_OF_LINE unsigned wide(long long a, long long b, long long c, long long d, long long e, unsigned f, long long g,
                          unsigned char h, short i) {
    sum = sum * 31 + (unsigned)(a ^ b ^ c ^ d ^ e);
    return sum + f + (unsigned)g + h + (unsigned)i;
}

/* Calls between other calls, so that the pushed arguments come and go. */
OUT_OF_LINE unsigned in_turn(unsigned n) {
    unsigned a = twelve(n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    unsigned b = wide(a, n, 3, 4, 5, 6, 7, (unsigned char)n, 9);
    return twelve(b, a, n, b, a, n, b, a, n, b, a, n) * a;
}

/* A call among the arguments of another. */
OUT_OF_LINE unsigned nested(unsigned n) {
    unsigned inner = twelve(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, n, n);
    return twelve(n, inner, n, 4, 5, 6, wide(n, n, n, n, n, n, n, 1, 2), 8, 9, 10, 11, inner);
}

/* On one path only. */
OUT_OF_LINE unsigned seldom(unsigned n, unsigned on) {
    if (on)
        sum += twelve(n, n, n, n, n, n, n, n, n, n, n, on);
    return sum * n;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 10; i++)
        total = total * 3 + in_turn(i) + nested(i) + seldom(i, i % 2);
    printf("stack_arguments %u\n", total);
    return 0;
}
