/* Early exits before anything is saved: the prologue moves behind them, so that the first row lasts longer and the
 * rows of the frame stand in the middle of the function. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

/* Called through a pointer, so that no compiler knows which registers it leaves alone. */
OUT_OF_LINE unsigned mix(unsigned a, unsigned b) {
    sum = sum * 31 + a;
    return sum ^ b;
}

unsigned (*volatile work)(unsigned, unsigned) = mix;

OUT_OF_LINE unsigned early(unsigned n) {
    if (n % 4 == 0)
        return 7;
    unsigned a = work(n, 1), b = work(n, a), c = work(a, b);
    return a * b + c * work(b, c);
}

OUT_OF_LINE unsigned two_ways_out(const unsigned *words, unsigned count) {
    if (!words)
        return 5;
    if (count > 8)
        return 6;
    unsigned total = 0;
    for (unsigned i = 0; i < count; i++)
        total += work(words[i], total) * work(i, total);
    return total;
}

/* The frame is needed on the way into the loop only. */
OUT_OF_LINE unsigned late(unsigned n) {
    unsigned total = n;
    for (unsigned i = 0; i < 3; i++) {
        total = total * 17 + i;
        if (total % 5 == 0)
            return total;
    }
    unsigned a = work(total, n);
    return a * total + work(a, n) * n;
}

int main(void) {
    static const unsigned words[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    unsigned total = 0;
    for (unsigned i = 0; i < 24; i++)
        total = total * 3 + early(i) + two_ways_out(i % 3 ? words : 0, i % 11) + late(i);
    printf("shrink_wrap %u\n", total);
    return 0;
}
