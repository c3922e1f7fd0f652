/* Functions that run before main and after it: no call of them is in the program. The last one prints. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sum = 1;

OUT_OF_LINE unsigned work(unsigned n) {
    sum = sum * 31 + n;
    return sum;
}

__attribute__((constructor(200))) static void second(void) {
    volatile unsigned kept[6] = {1, 2, 3, 4, 5, 6};
    work(kept[sum % 6]);
}

__attribute__((constructor(150))) static void first(void) {
    unsigned a = work(3), b = work(a);
    work(a * b);
}

__attribute__((constructor)) static void third(void) {
    work(7);
}

__attribute__((destructor(150))) static void last(void) {
    printf("constructors %u\n", sum);
}

__attribute__((destructor)) static void after_main(void) {
    unsigned a = work(11);
    work(a + 1);
}

int main(void) {
    work(13);
    return 0;
}
