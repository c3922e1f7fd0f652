/* Exceptions caught, thrown again, and exchanged for others, through several frames and by several types. */

extern "C" int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

static volatile unsigned sum = 1;

struct Base {
    unsigned value;
    explicit Base(unsigned n) : value(n) {}
    virtual ~Base() { sum = sum * 7 + value; }
    virtual unsigned tell() const { return value; }
};

struct Derived : Base {
    explicit Derived(unsigned n) : Base(n * 3) {}
    OUT_OF_LINE unsigned tell() const override { return value + 1; }
};

OUT_OF_LINE unsigned source(unsigned n) {
    sum = sum * 31 + n;
    switch (n % 4) {
    case 0:
        throw Derived(n);
    case 1:
        throw Base(n);
    case 2:
        throw n;
    }
    return n;
}

OUT_OF_LINE unsigned passes_on(unsigned n) {
    try {
        return source(n);
    } catch (...) {
        sum += 5;
        throw;
    }
}

OUT_OF_LINE unsigned exchanges(unsigned n) {
    try {
        return passes_on(n) + 1;
    } catch (unsigned caught) {
        throw Derived(caught + 1);
    }
}

/* Not for these types: the search goes by. */
OUT_OF_LINE unsigned goes_by(unsigned n) {
    try {
        return exchanges(n) + 2;
    } catch (const char *) {
        return 0;
    } catch (long long) {
        return 1;
    }
}

OUT_OF_LINE unsigned deep(unsigned n, unsigned depth) {
    volatile unsigned kept = n * depth;
    return depth == 0 ? goes_by(n) : deep(n, depth - 1) + kept;
}

OUT_OF_LINE unsigned catches(unsigned n) noexcept {
    try {
        try {
            return deep(n, n % 6);
        } catch (const Derived &caught) {
            sum += caught.tell();
            throw;
        }
    } catch (const Base &caught) {
        return caught.tell() * 5;
    }
}

int main() {
    unsigned total = 0;
    for (unsigned i = 0; i < 24; i++)
        total = total * 3 + catches(i);
    printf("rethrow %u\n", total + sum);
    return 0;
}
