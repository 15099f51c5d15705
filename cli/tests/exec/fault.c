// Goes wrong inside of the call, in the way that the argument says; else ends with 3.
#include "loom.h"
#include <stdio.h>
#include <stdlib.h>

LOOM_ACCEL int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

LOOM_ACCEL void clear(int *a, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        a[i] = 0;
}

LOOM_ACCEL int wait(const int *flag)
{
    int n = 0;
    while (flag[0] == 0)
        n++;
    return n;
}

LOOM_ACCEL int before(const int *end) { return end[-1]; }

LOOM_ACCEL int between(const int *first, const int *last)
{
    int s = 0;
    while (first < last)
        s += *first++;
    return s;
}

LOOM_ACCEL void fill(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text[i] = ' ';
}

LOOM_ACCEL long tenfold(const int *a, long n)
{
    long s = 0;
    for (long i = n; i > 0; i--)
        s += 10 * a[i - 1];
    return s;
}

LOOM_ACCEL void shift(const int *from, int *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}

LOOM_ACCEL void copy(const int *restrict from, int *restrict to, int n)
{
    for (int i = n; i > 0; i--)
        to[i - 1] = from[i - 1];
}

static const int constants[4] = {1, 2, 3, 4};

int main(int argc, char **argv)
{
    int *a = calloc(4, sizeof *a);
    const char what = argc > 1 ? argv[1][0] : ' ';
    printf("before\n");
    switch (what) {
    case 'n': sum(NULL, 4); break;
    case 'e': sum(a, 1 << 28); break;
    case 'c': clear((int *)constants, 4); break;
    case 'b': before(a + 4); break;
    case 'u': between(a, (const int *)((const char *)a + 6)); break;
    case 'w': wait(a); break;
    case 'l': fill((char *)a, (size_t)-1); break;
    case 'm': tenfold(a, -(1L << 40)); break;
    case 's': shift(a, a + 1, 3); return a[3];
    case 'r': copy(a, a + 1, 3); break;
    // A pointer that nobody uses may be anything.
    default: sum(NULL, 0);
    }
    printf("after\n");
    return 3;
}
