/* Virtual calls through second and virtual bases: thunks that move the object's pointer and jump, with FDEs of
 * their own and often without a frame. */

extern "C" int printf(const char *, ...);

#define OUT_OF_LINE __attribute__((noinline))

static volatile unsigned sum = 1;

struct Left {
    unsigned left = 3;
    virtual unsigned tell(unsigned n) { return n + left; }
    virtual ~Left() { sum = sum * 7 + left; }
};

struct Right {
    unsigned right = 5;
    virtual unsigned show(unsigned n) { return n * right; }
    virtual Right *self() { return this; }
    virtual ~Right() { sum = sum * 11 + right; }
};

struct Both : Left, Right {
    unsigned own = 7;
    OUT_OF_LINE unsigned tell(unsigned n) override { return show(n) + own; }
    OUT_OF_LINE unsigned show(unsigned n) override {
        sum = sum * 31 + n;
        return sum + own;
    }
    OUT_OF_LINE Both *self() override { return this; }
};

struct Root {
    unsigned root = 9;
    virtual unsigned ask(unsigned n) { return n ^ root; }
    virtual ~Root() {}
};

struct Middle : virtual Root {
    unsigned middle = 2;
};

struct Leaf : virtual Root, Middle {
    OUT_OF_LINE unsigned ask(unsigned n) override { return n * middle + root; }
};

OUT_OF_LINE unsigned through_right(Right *right, unsigned n) {
    return right->show(n) + right->self()->right;
}

OUT_OF_LINE unsigned through_root(Root *root, unsigned n) {
    return root->ask(n) + 1;
}

int main() {
    unsigned total = 0;
    for (unsigned i = 0; i < 10; i++) {
        Both both;
        Leaf leaf;
        Left *left = &both;
        total = total * 3 + through_right(&both, i) + left->tell(i) + through_root(&leaf, i);
    }
    Right *volatile right = new Both;
    delete right;
    printf("thunks %u\n", total + sum);
    return 0;
}
