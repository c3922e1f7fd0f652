/* Nested functions: they reach their parent's frame through the static chain. None of them has its address taken,
 * which would ask for an executable stack. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

OUT_OF_LINE unsigned work(unsigned n) {
    sum = sum * 31 + n;
    return sum;
}

OUT_OF_LINE unsigned parent(unsigned n) {
    unsigned kept = work(n), turns = 0;

    OUT_OF_LINE unsigned child(unsigned a) {
        turns++;
        kept = kept * 3 + work(a);
        return kept + turns;
    }

    OUT_OF_LINE unsigned grandparent(unsigned a) {
        unsigned own = a * 5;

        OUT_OF_LINE unsigned grandchild(unsigned b) {
            own += child(b);
            return own * kept;
        }

        return grandchild(a + 1) + grandchild(a + 2) + own;
    }

    unsigned total = child(n) + grandparent(n + 3) + child(n + 1);
    return total * turns + kept;
}

/* Recursion through a nested function: each level has its own parent's frame. */
OUT_OF_LINE unsigned level(unsigned n) {
    unsigned here = work(n);

    OUT_OF_LINE unsigned below(void) {
        here++;
        return n == 0 ? here : level(n - 1) + here;
    }

    return below() * 3 + here;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 10; i++)
        total = total * 3 + parent(i) + level(i);
    printf("nested_function %u\n", total);
    return 0;
}
