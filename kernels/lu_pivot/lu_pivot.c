// Linear algebra: LU decomposition with partial pivoting, P A = L U in place, in double precision.
// LAPACK's getf2. A search for the largest element, rows swapped at a place that depends on data, and a singular matrix
// that ends it early.
#include "loom.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define N 24

LOOM_ACCEL bool lu_pivot(int n, double a[N][N], int *pivot)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        double size = fabs(a[k][k]);
        for (int i = k + 1; i < n; i++) {
            double v = fabs(a[i][k]);
            if (v > size) {
                size = v;
                best = i;
            }
        }
        pivot[k] = best;
        if (size == 0.0)
            return false;
        if (best != k) {
            for (int j = 0; j < n; j++) {
                double t = a[k][j];
                a[k][j] = a[best][j];
                a[best][j] = t;
            }
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            a[i][k] = factor;
            for (int j = k + 1; j < n; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    return true;
}

// Multiplies L and U, undoes the swaps, and compares with what was there before; all multipliers are at most 1.
static int check(int n, double a[N][N], const int *pivot, double before[N][N])
{
    static double product[N][N];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k <= (i < j ? i : j); k++)
                sum += (k == i ? 1.0 : a[i][k]) * a[k][j];
            product[i][j] = sum;
            if (i > j && fabs(a[i][j]) > 1.0)
                return 1;
        }
    for (int k = n - 1; k >= 0; k--)
        for (int j = 0; j < n; j++) {
            double t = product[k][j];
            product[k][j] = product[pivot[k]][j];
            product[pivot[k]][j] = t;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!(fabs(product[i][j] - before[i][j]) < 1e-10))
                return 1;
    return 0;
}

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 11};
    static double a[N][N], before[N][N];
    int pivot[N], bad = 0, calls = 0;
    uint32_t state = 2026;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                state = state * 1664525u + 1013904223u;
                a[i][j] = before[i][j] = (double)(state >> 12) / 524288.0 - 1.0;
            }
        bad += !lu_pivot(sizes[calls], a, pivot);
        bad += check(sizes[calls], a, pivot, before);
    }
    // Two equal rows.
    for (int j = 0; j < 5; j++) {
        for (int i = 0; i < 5; i++)
            a[i][j] = i == j ? 8.0 : 1.0;
        a[4][j] = a[3][j];
    }
    bad += lu_pivot(5, a, pivot);
    printf("lu_pivot: %d decompositions, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
