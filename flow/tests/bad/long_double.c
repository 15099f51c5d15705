#include "loom.h"

LOOM_ACCEL long double scale(long double x)
{
    return x * 3;
}
