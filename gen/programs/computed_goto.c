/* An interpreter that jumps through a table of labels: one large frame with many places to be in. */

int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

enum { PUSH, ADD, MULTIPLY, SWAP, CALL, LOOP, STOP };

volatile unsigned calls;

OUT_OF_LINE unsigned call(unsigned a, unsigned b) {
    calls++;
    return a * 7 + (b ^ calls);
}

OUT_OF_LINE unsigned run(const unsigned char *code, unsigned turns) {
    static const void *const table[] = {&&push, &&add, &&multiply, &&swap, &&call, &&loop, &&stop};
    const unsigned char *at = code;
    unsigned stack[16], depth = 2;
    stack[0] = 1;
    stack[1] = turns;
#define NEXT goto *table[*at++]
    NEXT;
push:
    stack[depth++] = *at++;
    NEXT;
add:
    depth--;
    stack[depth - 1] += stack[depth];
    NEXT;
multiply:
    depth--;
    stack[depth - 1] *= stack[depth];
    NEXT;
swap: {
    unsigned top = stack[depth - 1];
    stack[depth - 1] = stack[depth - 2];
    stack[depth - 2] = top;
    NEXT;
}
call:
    stack[depth - 1] = call(stack[depth - 1], stack[depth - 2]);
    NEXT;
loop:
    if (--turns)
        at = code;
    NEXT;
stop:
    return stack[depth - 1] * 3 + stack[0];
}

int main(void) {
    static const unsigned char code[] = {PUSH, 5, ADD, SWAP, PUSH, 3, MULTIPLY, CALL, SWAP, LOOP, STOP};
    unsigned total = 0;
    for (unsigned i = 1; i < 20; i++)
        total = total * 3 + run(code, i);
    printf("computed_goto %u\n", total);
    return 0;
}
