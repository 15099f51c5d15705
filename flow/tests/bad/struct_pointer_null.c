#include "loom.h"

struct filter {
    int taps;
    const int *weight;
};

LOOM_ACCEL int apply(const struct filter *f, const int *x)
{
    int sum = 0;
    for (int i = 0; i < f->taps; i++)
        sum += f->weight ? f->weight[i] * x[i] : x[i];
    return sum;
}
