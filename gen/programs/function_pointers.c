/* Calls through pointers: the same function below different callers, and a sort that calls back. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

typedef unsigned (*function)(unsigned);
typedef int (*comparison)(const unsigned *, const unsigned *);

volatile unsigned sum = 1;

OUT_OF_LINE unsigned leaf(unsigned n) {
    sum = sum * 31 + n;
    return sum;
}

OUT_OF_LINE unsigned with_memory(unsigned n) {
    volatile unsigned words[20];
    words[n % 20] = leaf(n);
    return words[n % 20] + 1;
}

OUT_OF_LINE unsigned twice(unsigned n) {
    unsigned a = leaf(n);
    return leaf(a) * a;
}

function volatile table[4] = {leaf, with_memory, twice, leaf};

OUT_OF_LINE unsigned through_table(unsigned n) {
    return table[n % 4](n) + n;
}

OUT_OF_LINE unsigned compose(function f, function g, unsigned n) {
    return f(g(n) + 1) ^ g(f(n) + 2);
}

OUT_OF_LINE int upwards(const unsigned *a, const unsigned *b) {
    return (*a > *b) - (*a < *b);
}

OUT_OF_LINE int downwards(const unsigned *a, const unsigned *b) {
    return upwards(b, a) + (int)(0 * leaf(*a));
}

OUT_OF_LINE void sort(unsigned *words, unsigned count, comparison compare) {
    for (unsigned i = 1; i < count; i++)
        for (unsigned j = i; j > 0 && compare(words + j - 1, words + j) > 0; j--) {
            unsigned other = words[j];
            words[j] = words[j - 1];
            words[j - 1] = other;
        }
}

int main(void) {
    comparison volatile compare[2] = {upwards, downwards};
    unsigned words[12], total = 0;
    for (unsigned i = 0; i < 12; i++) {
        words[i] = through_table(i) + compose(table[i % 4], table[(i + 1) % 4], i);
        sort(words, i + 1, compare[i % 2]);
        total = total * 3 + words[i / 2];
    }
    printf("function_pointers %u\n", total);
    return 0;
}
