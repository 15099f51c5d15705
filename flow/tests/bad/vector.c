#include "loom.h"

typedef float quad __attribute__((vector_size(16)));

LOOM_ACCEL float sum(quad a)
{
    return a[0] + a[1] + a[2] + a[3];
}
