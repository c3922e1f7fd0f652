/* Calls that push their arguments and can throw: the landing pad has to know how much to take off the stack. */

extern "C" int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

static volatile unsigned sum = 1;

struct Held {
    unsigned value;
    explicit Held(unsigned n) : value(n) { sum = sum * 31 + n; }
    OUT_OF_LINE ~Held() { sum = sum * 7 + value; }
};

OUT_OF_LINE unsigned twelve(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,
                            unsigned h, unsigned i, unsigned j, unsigned k, unsigned l) {
    if ((a + l) % 4 == 3)
        throw a + b;
    sum = sum * 31 + c + d + e + f;
    return g * h + i * j + k * l;
}

OUT_OF_LINE unsigned eight(long long a, unsigned b, long long c, unsigned d, long long e, unsigned f, long long g,
                           unsigned h) {
    if (h % 5 == 4)
        throw h;
    sum = sum * 31 + (unsigned)(a + c + e + g);
    return b * d + f * h;
}

OUT_OF_LINE unsigned cleans(unsigned n) {
    Held held(n);
    unsigned a = twelve(n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    return a + eight(a, n, a, n, a, n, a, n) + held.value;
}

OUT_OF_LINE unsigned catches(unsigned n) {
    unsigned a = n;
    try {
        a += cleans(n);
        a += twelve(a, n, a, n, a, n, a, n, a, n, a, n);
        a += eight(1, 2, 3, 4, 5, 6, 7, a);
    } catch (unsigned caught) {
        a += caught + twelve(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    }
    return a;
}

int main() {
    unsigned total = 0;
    for (unsigned i = 0; i < 20; i++)
        total = total * 3 + catches(i);
    printf("pushed_arguments %u\n", total + sum);
    return 0;
}
