/* Objects with static storage: the compiler writes the functions that build and destroy them. The object that is
 * built first is destroyed last, and prints. */

extern "C" int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

static volatile unsigned sum = 1;

struct Printer {
    OUT_OF_LINE Printer() { sum = sum * 31 + 3; }
    OUT_OF_LINE ~Printer() { printf("static_objects %u\n", sum); }
};

struct Member {
    unsigned value;
    OUT_OF_LINE explicit Member(unsigned n) : value(n) { sum = sum * 31 + n; }
    OUT_OF_LINE ~Member() { sum = sum * 7 + value; }
};

struct Whole {
    Member first, second;
    explicit Whole(unsigned n) : first(n), second(n + sum) {}
};

static Printer printer;
static Whole whole(5);
static Member members[3] = {Member(1), Member(2), Member(3)};
static unsigned computed = sum * 3;

/* Built when its function is first called, under a guard. */
OUT_OF_LINE unsigned local(unsigned n) {
    static Member member(n + 9);
    static Whole other(member.value);
    return member.value + other.second.value + n;
}

/* Built in no order that the language promises, hence by themselves. */
struct Lone {
    unsigned value;
    OUT_OF_LINE explicit Lone(unsigned n) : value(n * n) {}
    OUT_OF_LINE ~Lone() { value = 0; }
};

template <unsigned N> struct Counted {
    static Lone lone;
};
template <unsigned N> Lone Counted<N>::lone(N);

int main() {
    unsigned total = computed + whole.second.value + members[1].value;
    for (unsigned i = 0; i < 5; i++)
        total = total * 3 + local(i);
    sum = sum + total + Counted<4>::lone.value + Counted<6>::lone.value;
    return 0;
}
