/* Handlers on the normal stack: raised by a call, and by an instruction in the middle of a function. */

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define OUT_OF_LINE __attribute__((noinline))

static volatile sig_atomic_t caught;
static volatile unsigned sum = 1;
static sigjmp_buf out_of_handler;

OUT_OF_LINE void below_the_handler(unsigned n) {
    volatile unsigned char bytes[64];
    bytes[n % 64] = (unsigned char)n;
    sum = sum * 31 + bytes[n % 64];
}

static void count(int number) {
    caught++;
    below_the_handler((unsigned)caught + (number == SIGUSR1));
    /* Once more from inside the handler. */
    if (number == SIGUSR1 && caught < 3)
        raise(SIGUSR2);
}

static void escape(int number) {
    below_the_handler(number == SIGSEGV);
    siglongjmp(out_of_handler, 1);
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, 0);
}

/* Interrupted at an instruction that is no call. */
OUT_OF_LINE unsigned load(const volatile unsigned *at) {
    return *at + sum;
}

OUT_OF_LINE unsigned fault(unsigned n) {
    const volatile unsigned *volatile nowhere = 0;
    if (sigsetjmp(out_of_handler, 1) == 0)
        return load(nowhere);
    return n * 3;
}

int main(void) {
    handle(SIGUSR1, count);
    handle(SIGUSR2, count);
    handle(SIGSEGV, escape);
    raise(SIGUSR1);
    sum += fault(14);
    raise(SIGUSR2);
    printf("signal %u %d\n", sum, (int)caught);
    return 0;
}
