/* Variable arguments: some ABIs spill all argument registers in the prologue, below or above the CFA. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

OUT_OF_LINE unsigned sum_of(unsigned count, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, count);
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum = sum * 3 + __builtin_va_arg(list, unsigned);
    __builtin_va_end(list);
    return sum;
}

/* Floating-point arguments come in registers of their own. */
OUT_OF_LINE unsigned mixed(const char *kinds, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, kinds);
    unsigned sum = 0;
    for (; *kinds; kinds++) {
        if (*kinds == 'd')
            sum = sum * 5 + (unsigned)(__builtin_va_arg(list, double) * 4.0);
        else if (*kinds == 'l')
            sum = sum * 5 + (unsigned)__builtin_va_arg(list, long long);
        else
            sum = sum * 5 + __builtin_va_arg(list, unsigned);
    }
    __builtin_va_end(list);
    return sum;
}

/* Hands its list on. */
OUT_OF_LINE unsigned walk(unsigned count, __builtin_va_list list) {
    unsigned sum = count;
    while (count--)
        sum = sum * 7 + __builtin_va_arg(list, unsigned);
    return sum;
}

OUT_OF_LINE unsigned forward(unsigned count, ...) {
    __builtin_va_list list, copy;
    __builtin_va_start(list, count);
    __builtin_va_copy(copy, list);
    unsigned sum = walk(count, list) + walk(count / 2, copy);
    __builtin_va_end(copy);
    __builtin_va_end(list);
    return sum;
}

int main(void) {
    unsigned sum = sum_of(0) + sum_of(3, 1u, 2u, 3u) + sum_of(12, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u);
    sum = sum * 11 + mixed("udludluddddddddd", 1u, 2.5, 3ll, 4u, 5.25, 6ll, 7u, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0,
                           14.0, 15.0, 16.0);
    sum = sum * 11 + forward(9, 9u, 8u, 7u, 6u, 5u, 4u, 3u, 2u, 1u);
    printf("varargs %u\n", sum);
    return 0;
}
