// Linear algebra: Levinson-Durbin recursion, solves a symmetric Toeplitz system in O(n^2), in double precision.
// PolyBench; linear prediction of speech. One long recurrence with a division; a reversed read of y, and a local array
// that keeps the old values apart from the new ones.
#include "loom.h"

#include <math.h>
#include <stdio.h>

#define N 64

LOOM_ACCEL void durbin(int n, const double *r, double *y)
{
    double z[N];
    if (n <= 0)
        return;
    double alpha = -r[0], beta = 1.0;
    y[0] = -r[0];
    for (int k = 1; k < n; k++) {
        beta = (1.0 - alpha * alpha) * beta;
        double sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 29};
    double r[N], y[N];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        // Autocorrelation of a decaying oscillation: positive definite.
        for (int k = 0; k < N; k++) {
            r[k] = 0.9 * pow(0.7, k + 1) * cos(0.6 * (k + 1 + calls));
            y[k] = 1e9;
        }
        durbin(n, r, y);
        // T y = -r, where T has 1 on its diagonal and r[d - 1] at distance d.
        for (int i = 0; i < n; i++) {
            double left = r[i];
            for (int j = 0; j < n; j++) {
                const int d = i < j ? j - i : i - j;
                left += (d == 0 ? 1.0 : r[d - 1]) * y[j];
            }
            bad += !(fabs(left) < 1e-10);
        }
        for (int i = n; i < N; i++)
            bad += y[i] != 1e9;
    }
    printf("durbin: %d systems, %d wrong\n", calls, bad);
    return bad != 0;
}
