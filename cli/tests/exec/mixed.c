// A program of two languages: `--std` is for the files of its own.
#include "loom.h"

#include <stdio.h>

int sum(const int *p, int n);

LOOM_ACCEL int twice(const int *p, int n) { return 2 * sum(p, n); }

int main(void)
{
    int p[] = {1, 2, 3};
    int wrong = twice(p, 3) != 12;
    printf("%d wrong\n", wrong);
    return wrong;
}
