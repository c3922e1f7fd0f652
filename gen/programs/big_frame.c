/* Large frames: past one page, past what a 16-bit offset reaches, and past what the system probes page by page. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned seed = 7;

OUT_OF_LINE unsigned touch(volatile unsigned char *bytes, unsigned size) {
    unsigned sum = seed;
    for (unsigned i = 0; i < size; i += 509) {
        bytes[i] = (unsigned char)(sum + i);
        sum = sum * 31 + bytes[i];
    }
    return sum;
}

OUT_OF_LINE unsigned small(unsigned a) {
    volatile unsigned char bytes[100];
    return touch(bytes, sizeof bytes) + a;
}

OUT_OF_LINE unsigned pages(unsigned a) {
    volatile unsigned char bytes[5 * 1024];
    return touch(bytes, sizeof bytes) + small(a);
}

OUT_OF_LINE unsigned large(unsigned a) {
    volatile unsigned char bytes[70 * 1024];
    unsigned below = pages(a + 1);
    return touch(bytes, sizeof bytes) + below * a;
}

OUT_OF_LINE unsigned huge(unsigned a) {
    volatile unsigned char bytes[5 * 512 * 1024];
    unsigned below = large(a + 1);
    return touch(bytes, sizeof bytes) + below * a;
}

int main(void) {
    unsigned sum = huge(3) + large(5) + pages(7);
    printf("big_frame %u\n", sum);
    return 0;
}
