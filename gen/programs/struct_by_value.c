/* Structures as arguments and results: small ones in registers, large ones copied to the stack, results through a
 * hidden pointer, which some ABIs have the callee pop. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

struct small {
    unsigned a, b;
};

struct large {
    unsigned words[24];
};

volatile unsigned sum = 1;

OUT_OF_LINE struct small make_small(unsigned n) {
    struct small made = {n * 3, n + sum};
    return made;
}

OUT_OF_LINE struct large make_large(unsigned n) {
    struct large made;
    for (unsigned i = 0; i < 24; i++)
        made.words[i] = n * i + sum;
    return made;
}

OUT_OF_LINE unsigned take_small(struct small a, struct small b) {
    sum = sum * 31 + a.a;
    return a.a * b.b + a.b * b.a;
}

OUT_OF_LINE unsigned take_large(struct large a, unsigned n) {
    sum = sum * 31 + a.words[n % 24];
    return a.words[(n + 1) % 24] * 3 + n;
}

/* Two large arguments and a large result at once. */
OUT_OF_LINE struct large combine(struct large a, struct large b, struct small c) {
    struct large made = a;
    for (unsigned i = 0; i < 24; i++)
        made.words[i] = a.words[i] * c.a + b.words[23 - i] * c.b;
    made.words[0] += take_large(b, c.a);
    return made;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 12; i++) {
        struct large a = make_large(i), b = make_large(total);
        struct small c = make_small(i);
        total = total * 3 + take_large(combine(a, b, c), i) + take_small(c, make_small(total));
    }
    printf("struct_by_value %u\n", total);
    return 0;
}
