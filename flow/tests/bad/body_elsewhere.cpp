#include "loom.h"

extern int checked(int);

LOOM_ACCEL int guarded(int n)
{
    return checked(n) + 1;
}
