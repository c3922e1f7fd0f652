/* Two more threads: their stacks end in the library's start routine, not in main. */

#include <pthread.h>
#include <stdio.h>

#define OUT_OF_LINE __attribute__((noinline))

struct task {
    pthread_t thread;
    volatile unsigned sum;
    unsigned seed;
};

OUT_OF_LINE unsigned work(struct task *task, unsigned n) {
    task->sum = task->sum * 31 + n;
    return task->sum;
}

OUT_OF_LINE unsigned down(struct task *task, unsigned n) {
    volatile unsigned kept = work(task, n);
    unsigned below = n == 0 ? 1 : down(task, n - 1);
    return below * 3 + kept;
}

static void *start(void *argument) {
    struct task *task = argument;
    unsigned total = 0;
    for (unsigned i = 0; i < 20; i++)
        total = total * 5 + down(task, i + task->seed);
    task->sum += total;
    return task;
}

int main(void) {
    static struct task tasks[2];
    unsigned total = 0;
    for (unsigned i = 0; i < 2; i++) {
        tasks[i].seed = i + 1;
        if (pthread_create(&tasks[i].thread, 0, start, &tasks[i]) != 0)
            return 1;
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(tasks[i].thread, 0);
        total = total * 7 + tasks[i].sum;
    }
    printf("thread %u\n", total);
    return 0;
}
