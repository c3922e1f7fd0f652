/* Variable-length arrays: in a loop, two at once, and beside values that stay in saved registers. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned step = 3;

OUT_OF_LINE unsigned fill(unsigned *words, unsigned count) {
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++) {
        words[i] = i * step + count;
        sum = sum * 17 + words[i];
    }
    return sum;
}

OUT_OF_LINE unsigned one(unsigned count) {
    unsigned words[count];
    return fill(words, count) + words[count - 1];
}

/* The array's memory is given back at the end of each turn. */
OUT_OF_LINE unsigned in_loop(unsigned turns) {
    unsigned sum = 0;
    for (unsigned i = 1; i <= turns; i++) {
        unsigned words[i * 5];
        sum = sum * 3 + fill(words, i * 5) + words[i];
    }
    return sum;
}

OUT_OF_LINE unsigned two(unsigned a, unsigned b) {
    unsigned first[a];
    unsigned second[a + b];
    unsigned sum = fill(first, a) ^ fill(second, a + b);
    for (unsigned i = 0; i < a; i++)
        sum += first[i] * second[i + b];
    return sum;
}

int main(void) {
    unsigned sum = 0;
    for (unsigned i = 1; i < 12; i++)
        sum = sum * 5 + one(i) + in_loop(i) + two(i, 12 - i);
    printf("vla %u\n", sum);
    return 0;
}
