#include "loom.h"

double sqrt(double, double);

LOOM_ACCEL double root(double a, double b)
{
    return sqrt(a, b);
}
