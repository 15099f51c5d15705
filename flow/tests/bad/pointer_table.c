#include "loom.h"

LOOM_ACCEL int trace(int **rows, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += rows[i][i];
    return sum;
}
