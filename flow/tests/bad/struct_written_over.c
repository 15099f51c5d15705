#include "loom.h"

union cell {
    long bits;
    int *words;
};

LOOM_ACCEL int swap(union cell *cells, int n)
{
    int first = cells[0].words[0];
    for (int i = 0; i < n; i++)
        cells[i].bits = 0;
    return first + n;
}
