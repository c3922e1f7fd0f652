/* Calls into the C library through the PLT, whose own entries have an FDE with an expression, and calls from the
 * library back into the program. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_OF_LINE __attribute__((noinline))

static volatile unsigned sum = 1;

OUT_OF_LINE int compare(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    sum = sum * 31 + (x ^ y) % 2;
    return (x > y) - (x < y);
}

OUT_OF_LINE unsigned sorted(unsigned n) {
    unsigned words[16];
    for (unsigned i = 0; i < 16; i++)
        words[i] = (i * 7919 + n) % 101;
    qsort(words, 16, sizeof words[0], compare);
    const unsigned *found = bsearch(&words[3], words, 16, sizeof words[0], compare);
    return words[5] * 100 + (found ? *found : 0);
}

OUT_OF_LINE unsigned text(const char *volatile number) {
    char copy[64];
    strcpy(copy, number);
    strcat(copy, "17");
    char *end = strchr(copy, '7');
    return (unsigned)strtoul(copy, &end, 10) + (unsigned)strlen(copy) + (unsigned)(end - copy);
}

OUT_OF_LINE unsigned memory(size_t size) {
    unsigned char *bytes = malloc(size);
    if (!bytes)
        abort();
    memset(bytes, (int)size, size);
    unsigned last = bytes[size - 1];
    free(bytes);
    return last * 3;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 1; i < 10; i++)
        total = total * 3 + sorted(i) % 5000 + text("123") + memory(i * 40);
    printf("plt_calls %u\n", total);
    return 0;
}
