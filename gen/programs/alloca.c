/* Frames that grow while the function runs, by a size that is not known before. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned sink;

OUT_OF_LINE unsigned fill(unsigned char *bytes, unsigned count) {
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(i * count);
        sum = sum * 33 + bytes[i];
    }
    return sum;
}

OUT_OF_LINE unsigned once(unsigned count) {
    unsigned char *bytes = __builtin_alloca(count);
    unsigned sum = fill(bytes, count);
    sink = bytes[count / 2];
    return sum + sink;
}

/* The frame grows in each turn and shrinks at the end only. */
OUT_OF_LINE unsigned many(unsigned turns) {
    unsigned char *last = 0;
    unsigned sum = 0;
    for (unsigned i = 1; i <= turns; i++) {
        unsigned char *bytes = __builtin_alloca(i * 24);
        sum += fill(bytes, i * 24);
        if (last)
            sum += last[i];
        last = bytes;
    }
    return sum;
}

/* Grows on one path only. */
OUT_OF_LINE unsigned sometimes(unsigned count) {
    if (count % 2 == 0)
        return count + sink;
    unsigned char *bytes = __builtin_alloca(count + 64);
    return fill(bytes, count + 64) + bytes[3];
}

int main(void) {
    unsigned sum = 0;
    for (unsigned i = 1; i < 40; i++)
        sum = sum * 5 + once(i * 7) + many(i % 6) + sometimes(i);
    printf("alloca %u\n", sum);
    return 0;
}
