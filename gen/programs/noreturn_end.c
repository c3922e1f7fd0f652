/* Calls that do not return at the very end of a function: the return address is the first byte of whatever comes
 * next, so that a reader that forgets to go back by one finds the wrong FDE. */

int printf(const char *, ...);
__attribute__((noreturn)) void exit(int);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

OUT_OF_LINE __attribute__((noreturn)) void finish(unsigned n) {
    printf("noreturn_end %u\n", sum + n);
    exit(0);
}

OUT_OF_LINE __attribute__((noreturn)) void last(unsigned n) {
    sum = sum * 31 + n;
    finish(n + 1);
}

/* The code behind the last call. */
OUT_OF_LINE unsigned after_last(unsigned n) {
    return n * sum;
}

/* Ends in a call on one path, in a return on the other. */
OUT_OF_LINE unsigned either(unsigned n) {
    volatile unsigned kept[5] = {n, n, n, n, n};
    if (n < 10)
        return kept[n % 5] * 3 + sum;
    sum += kept[2];
    last(kept[1]);
}

OUT_OF_LINE unsigned after_either(unsigned n) {
    return n + 3 * sum;
}

int main(void) {
    for (unsigned i = 0;; i++)
        sum = either(i) + after_last(i) * after_either(i);
}
