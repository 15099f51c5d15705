#include "loom.h"

LOOM_ACCEL int sum(int n)
{
    int t[3000000000u / 4];
    for (int i = 0; i < n; i++)
        t[i] = i;
    return t[n / 2];
}
