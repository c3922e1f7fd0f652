/* Variables with a cleanup: with -fexceptions, what C code has to run when an exception passes through it. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

/* Not known here not to throw: it is called through a pointer. */
OUT_OF_LINE void work(unsigned n) {
    sum = sum * 31 + n;
}

void (*volatile through)(unsigned) = work;

OUT_OF_LINE void release(unsigned *held) {
    sum = sum * 7 + *held;
}

OUT_OF_LINE unsigned one(unsigned n) {
    __attribute__((cleanup(release))) unsigned held = n + 1;
    through(n);
    held += sum;
    return held;
}

OUT_OF_LINE unsigned three(unsigned n) {
    __attribute__((cleanup(release))) unsigned first = n;
    through(first);
    __attribute__((cleanup(release))) unsigned second = n + sum;
    through(second);
    for (unsigned i = 0; i < n % 4; i++) {
        __attribute__((cleanup(release))) unsigned third = i * second;
        through(third);
        if (third % 3 == 1)
            return third;
    }
    return first + second;
}

/* Calls, but nothing to clean up. */
OUT_OF_LINE unsigned none(unsigned n) {
    through(n);
    through(n + 1);
    return sum;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 12; i++)
        total = total * 3 + one(i) + three(i) + none(i);
    printf("cleanup %u\n", total);
    return 0;
}
