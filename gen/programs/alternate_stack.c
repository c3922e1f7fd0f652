/* A handler on a stack of its own: the walk from the handler to main goes from one stack to another. */

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define OUT_OF_LINE __attribute__((noinline))

static unsigned char other_stack[128 * 1024] __attribute__((aligned(16)));
static volatile unsigned sum = 1;
static volatile unsigned on_other_stack;

OUT_OF_LINE void look(unsigned n) {
    volatile unsigned char here[32];
    volatile unsigned char *at = here;
    at[n % 32] = (unsigned char)n;
    if (at >= other_stack && at < other_stack + sizeof other_stack)
        on_other_stack++;
    sum = sum * 31 + at[n % 32];
    if (n > 0)
        look(n - 1);
    sum++;
}

static void handler(int number, siginfo_t *info, void *context) {
    look((number == SIGUSR1) + (info != 0) + (context != 0));
}

OUT_OF_LINE void deeper(unsigned n) {
    if (n == 0)
        raise(SIGUSR1);
    else
        deeper(n - 1);
    sum = sum * 3 + n;
}

int main(void) {
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = other_stack;
    stack.ss_size = sizeof other_stack;
    sigaltstack(&stack, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, 0);
    look(2);
    deeper(4);
    printf("alternate_stack %u %u\n", sum, on_other_stack);
    return 0;
}
