#include "loom.h"

struct Op {
    virtual int of(int) const = 0;
};

LOOM_ACCEL int run(const Op &op, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++)
        x = op.of(x);
    return x;
}
