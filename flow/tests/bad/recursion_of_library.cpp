#include "loom.h"
#include <algorithm>

LOOM_ACCEL void order(int *first, int *last)
{
    std::sort(first, last);
}
