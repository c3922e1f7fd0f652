/* Paths that are seldom taken. gcc puts them into a part of its own, `function.cold`, with an FDE that starts with
 * the frame already set up. */

int printf(const char *, ...);
__attribute__((noreturn)) void abort(void);

#define OUT_OF_LINE __attribute__((noinline))
#define SELDOM(condition) __builtin_expect(condition, 0)

volatile unsigned sum = 1;

__attribute__((cold, noinline)) unsigned complain(unsigned n, unsigned m) {
    sum = sum * 31 + n;
    return sum ^ m;
}

/* Called through a pointer, so that no compiler knows which registers it leaves alone. */
OUT_OF_LINE unsigned work(unsigned n) {
    sum = sum * 5 + n;
    return sum / 3;
}

unsigned (*volatile usual)(unsigned) = work;

/* The cold part comes back into the hot one. */
OUT_OF_LINE unsigned returns(unsigned n) {
    unsigned a = usual(n), b = usual(a), c = usual(b);
    if (SELDOM(n % 16 == 15)) {
        a += complain(b, c);
        b += complain(c, a);
        c += complain(a, b);
    }
    return usual(a + b) * usual(b + c) + a * b * c;
}

/* The cold part does not come back. */
OUT_OF_LINE unsigned stops(unsigned n) {
    unsigned a = usual(n), b = usual(a + 1);
    if (SELDOM(sum == 0 && a == b)) {
        complain(a, b);
        complain(b, a);
        abort();
    }
    return a * 7 + b * usual(b);
}

/* All of it is cold. */
__attribute__((cold, noinline)) unsigned rare(unsigned n) {
    volatile unsigned kept[8] = {n, 1, 2, 3, 4, 5, 6, 7};
    return complain(kept[n % 8], n) + kept[1];
}

/* All of it is hot. */
__attribute__((hot, noinline)) unsigned often(unsigned n) {
    return usual(n) + usual(n + 1);
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 40; i++)
        total = total * 3 + returns(i) + stops(i) + often(i);
    total += rare(total);
    printf("cold_split %u\n", total);
    return 0;
}
