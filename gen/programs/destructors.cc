/* Exceptions that leave functions with objects in them: the destructors run from landing pads on the way. */

extern "C" int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

static volatile unsigned sum = 1;

struct Held {
    unsigned value;
    explicit Held(unsigned n) : value(n) { sum = sum * 31 + n; }
    OUT_OF_LINE ~Held() { sum = sum * 7 + value; }
};

OUT_OF_LINE unsigned throws(unsigned n) {
    if (n % 3 == 0)
        throw n + 1;
    return n * sum;
}

OUT_OF_LINE unsigned one(unsigned n) {
    Held held(n);
    return throws(n) + held.value;
}

OUT_OF_LINE unsigned several(unsigned n) {
    Held first(n);
    unsigned a = throws(n + 1);
    Held second(a);
    unsigned b = throws(n + 2);
    {
        Held third(b);
        a += one(n + 3);
    }
    return a + b + one(n + 4) + second.value;
}

/* Destroys what is left of an array. */
OUT_OF_LINE unsigned array(unsigned n) {
    Held held[4] = {Held(n), Held(throws(n + 1)), Held(throws(n + 2)), Held(n)};
    return held[n % 4].value;
}

/* Nothing to destroy: the exception passes through. */
OUT_OF_LINE unsigned nothing(unsigned n) {
    unsigned a = several(n);
    return a + array(n);
}

OUT_OF_LINE unsigned catches(unsigned n) {
    try {
        return nothing(n);
    } catch (unsigned caught) {
        return caught * 5;
    }
}

int main() {
    unsigned total = 0;
    for (unsigned i = 0; i < 20; i++)
        total = total * 3 + catches(i);
    printf("destructors %u\n", total + sum);
    return 0;
}
