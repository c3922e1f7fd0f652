/* Functions that call nothing. Without a frame they need no instruction beyond those of the CIE. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sink;

OUT_OF_LINE unsigned add(unsigned a, unsigned b) {
    return a + 3 * b;
}

OUT_OF_LINE unsigned mix(unsigned a) {
    a ^= a >> 15;
    a *= 0x2c1b3c6du;
    return a ^ a >> 12;
}

/* A leaf with memory of its own, which some ABIs keep in the red zone. */
OUT_OF_LINE unsigned scratch(unsigned a) {
    volatile unsigned char bytes[48];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(a + i);
    return bytes[a % sizeof bytes] + bytes[7];
}

OUT_OF_LINE void nothing(void) {
}

OUT_OF_LINE void store(unsigned a) {
    sink = a;
}

int main(void) {
    unsigned sum = 1;
    for (unsigned i = 0; i < 20; i++) {
        sum = mix(add(sum, i)) + scratch(sum);
        nothing();
        store(sum);
    }
    printf("leaf %u\n", sum * 3 + sink);
    return 0;
}
