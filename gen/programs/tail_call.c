/* Calls at the end that become jumps: the frame is taken down in the middle of the function, and the caller's
 * caller is what a walk finds. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

OUT_OF_LINE unsigned leaf(unsigned n) {
    sum = sum * 31 + n;
    return sum;
}

OUT_OF_LINE unsigned plain(unsigned n) {
    return leaf(n + 7);
}

/* Takes its frame down before the jump. */
OUT_OF_LINE unsigned with_frame(unsigned n) {
    unsigned a = leaf(n), b = leaf(a);
    return plain(a * b + n);
}

/* Two jumps on two paths. */
OUT_OF_LINE unsigned pair(unsigned n, unsigned which) {
    unsigned a = leaf(n);
    if (which)
        return with_frame(a + n);
    return plain(a - n);
}

unsigned ping(unsigned n);

OUT_OF_LINE unsigned pong(unsigned n) {
    sum += 3;
    return n == 0 ? sum : ping(n - 1);
}

OUT_OF_LINE unsigned ping(unsigned n) {
    sum ^= n;
    return n == 0 ? sum : pong(n - 1);
}

typedef unsigned (*function)(unsigned);

/* A jump through a pointer. */
OUT_OF_LINE unsigned indirect(function to, unsigned n) {
    unsigned a = leaf(n);
    return to(a);
}

int main(void) {
    function volatile to[3] = {leaf, plain, with_frame};
    unsigned total = 0;
    for (unsigned i = 0; i < 30; i++)
        total = total * 3 + pair(i, i % 2) + ping(i) + indirect(to[i % 3], i);
    printf("tail_call %u\n", total);
    return 0;
}
