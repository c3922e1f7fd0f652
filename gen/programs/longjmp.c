/* setjmp and longjmp: frames that are left without running their epilogues. */

#include <setjmp.h>
#include <stdio.h>

#define OUT_OF_LINE __attribute__((noinline))

static jmp_buf outer, inner;
static volatile unsigned sum;

OUT_OF_LINE void leave(unsigned n) {
    sum = sum * 31 + n;
    if (sum == 0)
        return;
    if (n == 0)
        longjmp(inner, 3);
    leave(n - 1);
    /* Not reached, but it keeps the call from becoming a jump. */
    sum++;
}

OUT_OF_LINE void through_both(volatile unsigned n) {
    volatile unsigned kept = n * 5;
    int came_back = setjmp(inner);
    if (came_back == 0)
        leave(n);
    sum = sum * 7 + (unsigned)came_back + kept;
    longjmp(outer, (int)n + 1);
}

OUT_OF_LINE unsigned try(volatile unsigned n) {
    volatile unsigned turns = 0;
    int came_back = setjmp(outer);
    if (came_back == 0)
        through_both(n);
    turns++;
    if (turns < 3)
        longjmp(outer, (int)turns + 20);
    return sum + (unsigned)came_back + turns;
}

int main(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < 6; i++)
        total = total * 3 + try(i);
    printf("longjmp %u\n", total);
    return 0;
}
