#include "loom.h"

typedef float quad __attribute__((vector_size(16)));

LOOM_ACCEL void twice(quad *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] += a[i];
}
