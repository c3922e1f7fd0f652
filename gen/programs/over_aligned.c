/* Frames aligned more than the ABI promises: the stack pointer is rounded down, so that the way back to the
 * caller's frame is no constant. gcc keeps it in a register (DRAP) and then in memory, clang in the frame pointer. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

typedef unsigned long word;

volatile unsigned sink;

/* The address is used, so that the alignment cannot be dropped. */
OUT_OF_LINE unsigned check(volatile void *at, word alignment, unsigned value) {
    sink += ((word)at & (alignment - 1)) != 0;
    return value * 3 + sink;
}

OUT_OF_LINE unsigned to_64(unsigned a) {
    volatile unsigned words[16] __attribute__((aligned(64)));
    words[a % 16] = a;
    return check(words, 64, words[a % 16]);
}

OUT_OF_LINE unsigned to_4096(unsigned a) {
    volatile unsigned words[4] __attribute__((aligned(4096)));
    words[a % 4] = a + 1;
    return check(words, 4096, words[a % 4]);
}

/* Aligned and growing, which clang cannot do on SPARC. */
#if !(defined(__clang__) && defined(__sparc__))
OUT_OF_LINE unsigned growing(unsigned a) {
    volatile unsigned words[8] __attribute__((aligned(128)));
    unsigned char *bytes = __builtin_alloca(a + 16);
    for (unsigned i = 0; i < a + 16; i++)
        bytes[i] = (unsigned char)(a + i);
    words[a % 8] = bytes[a];
    return check(words, 128, words[a % 8]) + bytes[a + 15];
}
#else
#define growing(a) 0
#endif

/* Aligned, with arguments on the stack and values that stay in saved registers. */
OUT_OF_LINE unsigned crowded(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,
                             unsigned h, unsigned i, unsigned j) {
    volatile unsigned words[8] __attribute__((aligned(64)));
    words[a % 8] = b + c;
    unsigned first = check(words, 64, d + e);
    unsigned second = check(words, 64, f + g + first);
    return first * second + words[a % 8] + a * b + c * d + e * f + g * h + i * j;
}

int main(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 20; n++)
        sum = sum * 5 + to_64(n) + to_4096(n) + growing(n) + crowded(n, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    printf("over_aligned %u\n", sum + sink);
    return 0;
}
