#include "loom.h"
#include <stdatomic.h>

LOOM_ACCEL void count(atomic_int *counter, int n)
{
    for (int i = 0; i < n; i++)
        atomic_fetch_add(counter, 1);
}
