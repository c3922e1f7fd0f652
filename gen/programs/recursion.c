/* Deep recursion: one function on top of itself, two that call each other, and one that calls itself twice. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned depth_limit = 5000;
volatile unsigned depth;

/* The sum of two loads behind the call keeps it from becoming a loop. */
OUT_OF_LINE unsigned down(unsigned n) {
    depth++;
    unsigned below = n == 0 ? 1 : down(n - 1);
    depth--;
    return below * 31 + depth;
}

unsigned odd(unsigned n);

OUT_OF_LINE unsigned even(unsigned n) {
    unsigned result = n == 0 ? 2 : odd(n - 1) + depth;
    depth++;
    return result;
}

OUT_OF_LINE unsigned odd(unsigned n) {
    volatile unsigned kept[6] = {n, n + 1, n + 2, n + 3, n + 4, n + 5};
    unsigned result = n == 0 ? 3 : even(n - 1) * 5;
    return result + kept[n % 6];
}

OUT_OF_LINE unsigned tree(unsigned n) {
    if (n < 2)
        return n + depth_limit;
    unsigned left = tree(n - 1);
    unsigned right = tree(n - 2);
    return left * 3 + right;
}

int main(void) {
    unsigned sum = down(depth_limit);
    sum = sum * 7 + even(depth_limit / 4);
    sum = sum * 7 + tree(12);
    printf("recursion %u\n", sum);
    return 0;
}
