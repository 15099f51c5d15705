#include "loom.h"
#include <stdio.h>

int smooth(int *a, int n);
extern int rounds;
static int offset = 5;

static int shift(int x) { return x + offset; }

LOOM_ACCEL void shift_all(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = shift(a[i]);
}

#ifdef TWICE
LOOM_ACCEL static int twice(int x) { return 2 * x; }
int own(int x) { return twice(x); }
#endif

int main(void)
{
    int a[5] = {1, 2, 3, 4, 5};
    shift_all(a, 5);
    offset = 1;
    shift_all(a, 5);
    const int bad = smooth(a, 5) != 9 + 10 || a[1] != 8 || rounds != 1;
    printf("%d wrong\n", bad);
    return bad;
}
