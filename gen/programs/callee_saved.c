/* More values that live across calls than there are callee-saved registers. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned source = 11;

/* Called through a pointer, so that no compiler knows which registers it leaves alone. */
OUT_OF_LINE unsigned draw(unsigned a) {
    source = source * 1103515245u + 12345u;
    return source / 65536u % 32768u + a;
}

unsigned (*volatile next)(unsigned) = draw;

OUT_OF_LINE unsigned sixteen(unsigned n) {
    unsigned a = next(n), b = next(a), c = next(b), d = next(c);
    unsigned e = next(d), f = next(e), g = next(f), h = next(g);
    unsigned i = next(h), j = next(i), k = next(j), l = next(k);
    unsigned m = next(l), o = next(m), p = next(o), q = next(p);
    unsigned sum = next(n);
    for (unsigned turn = 0; turn < 3; turn++) {
        sum += next(a ^ b) + next(c ^ d) + next(e ^ f) + next(g ^ h);
        sum += next(i ^ j) + next(k ^ l) + next(m ^ o) + next(p ^ q);
    }
    return sum + a * b + c * d + e * f + g * h + i * j + k * l + m * o + p * q;
}

/* One register, then two: not every function saves them all. */
OUT_OF_LINE unsigned one(unsigned n) {
    return next(n) * n;
}

OUT_OF_LINE unsigned two(unsigned a, unsigned b) {
    unsigned sum = next(a) + next(b);
    return sum * a + next(sum) * b;
}

/* The general way to save all: what code must do that is about to leave its frame in an unusual way. */
OUT_OF_LINE unsigned all(unsigned n) {
    __builtin_unwind_init();
    return next(n) + n;
}

int main(void) {
    unsigned sum = sixteen(1) + one(2) + two(3, 4) + all(5);
    printf("callee_saved %u\n", sum);
    return 0;
}
