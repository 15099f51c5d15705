// What C's types say of arrays that are not `restrict`: `int` is no `float`, but characters, unions and what `memcpy` moves may be either.
// With an argument one array is given as two types, which is no C; `--no-strict-aliasing` makes it some.
#include "loom.h"
#include <stdio.h>
#include <string.h>

#define N 12

struct edge {
    double weight;
    int to;
};

LOOM_ACCEL void relax(int n, const int *first, const struct edge *edges, double *best, long *visits)
{
    for (int v = 0; v < n; v++)
        for (int e = first[v]; e < first[v + 1]; e++) {
            const int to = edges[e].to;
            if (best[v] + edges[e].weight < best[to])
                best[to] = best[v] + edges[e].weight;
            visits[to]++;
        }
}

LOOM_ACCEL float bytes(float *x, unsigned char *b, int *i, int n)
{
    float sum = 0;
    for (int k = 0; k + 4 < n; k++) {
        b[4 * (k + 1) + 2] ^= 0x40;
        i[k] += (int)x[k + 1];
        sum += x[k];
    }
    return sum;
}

union word {
    float f;
    int i;
};

LOOM_ACCEL float members(union word *u, float *x, int *i, int n)
{
    float sum = 0;
    for (int k = 0; k + 1 < n; k++) {
        u[k + 1].i += 1 << 20;
        sum += x[k + 1];
        i[k] = u[k].i;
    }
    return sum;
}

LOOM_ACCEL float moved(float *x, int *i, int n)
{
    float sum = 0;
    for (int k = 0; k + 1 < n; k++) {
        const int bits = i[k] + 3;
        memcpy(&x[k + 1], &bits, sizeof bits);
        memcpy(&i[k + 1], &x[k + 1], sizeof bits);
        sum += (float)i[k];
    }
    return sum;
}

LOOM_ACCEL int pun(int *i, const float *x, int n)
{
    int sum = 0;
    for (int k = 0; k + 1 < n; k++) {
        i[k + 1] = 0x40000000 + (k << 20);
        sum += (int)(8 * x[k + 1]);
    }
    return sum;
}

static int wrong;

static void is(const char *what, double got, double wanted)
{
    if (got != wanted) {
        printf("%s: %g, not %g\n", what, got, wanted);
        wrong++;
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        static int both[N];
        printf("%d\n", pun(both, (const float *)both, N));
        return 3;
    }
    for (int call = 0; call < 3; call++) {
        const int first[] = {0, 2, 3, 5, 6};
        const struct edge edges[] = {{1.5, 1}, {4, 2}, {1, 2}, {2, 3}, {9, 0}, {1, 3}};
        double best[] = {0, 100, 100, 100};
        long visits[4] = {0};
        relax(4, first, edges, best, visits);
        is("best", best[1] + 10 * best[2] + 100 * best[3], 1.5 + 25 + 450);
        is("visits", visits[0] + 10 * visits[1] + 100 * visits[2] + 1000 * visits[3], 2211);

        // What is stored through the bytes is seen through the floats.
        float x[N];
        int i[N] = {0};
        for (int k = 0; k < N; k++)
            x[k] = (float)(k + 2);
        float sum = 0, y[N];
        for (int k = 0; k < N; k++) {
            unsigned bits;
            y[k] = x[k];
            memcpy(&bits, &y[k], 4);
            bits ^= 0x400000;
            if (k > 0 && k + 3 < N)
                memcpy(&y[k], &bits, 4);
            sum += k + 4 < N ? y[k] : 0;
        }
        is("bytes", bytes(x, (unsigned char *)x, i, N), sum);
        is("bytes as int", i[3], (int)y[4]);

        float z[N];
        for (int k = 0; k < N; k++)
            z[k] = 1;
        // 0x3f800000 is 1, and 0x3f900000 is 1.125.
        is("members", members((union word *)z, z, i, N), (N - 1) * 1.125f);
        is("members as int", i[0], 0x3f800000);
        is("members as int", i[1], 0x3f900000);

        // Words that were moved into are what was moved, so both are one array.
        int words[N] = {0};
        is("moved", moved((float *)words, words, N), 3 * (N - 1) * (N - 2) / 2);
    }
    printf("%d wrong\n", wrong);
    return wrong;
}
