// Linear algebra: a tensor's last dimension times a matrix, A[r][q][p] = sum over s of A[r][q][s] W[s][p], in place.
// PolyBench, from multiresolution quantum chemistry. A local array holds a row until all of it has been read; three- and
// two-dimensional subscripts.
#include "loom.h"

#include <math.h>
#include <stdio.h>

#define R 6
#define Q 7
#define P 14

LOOM_ACCEL void doitgen(int nr, int nq, int np, float a[restrict R][Q][P], float w[restrict P][P])
{
    float sum[P];
    for (int r = 0; r < nr; r++) {
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[p] = 0.0f;
                for (int s = 0; s < np; s++)
                    sum[p] += a[r][q][s] * w[s][p];
            }
            for (int p = 0; p < np; p++)
                a[r][q][p] = sum[p];
        }
    }
}

static float value(int i, int j)
{
    return (float)((i * 31 + j * 17) % 23) / 8.0f - 1.25f;
}

int main(void)
{
    static const int sizes[][3] = {{R, Q, P}, {0, 1, 1}, {1, 1, 1}, {2, 3, 0}, {3, 2, 9}};
    static float a[R][Q][P], w[P][P];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int nr = sizes[calls][0], nq = sizes[calls][1], np = sizes[calls][2];
        for (int i = 0; i < P; i++)
            for (int j = 0; j < P; j++)
                w[i][j] = value(i + calls, j);
        for (int r = 0; r < R; r++)
            for (int q = 0; q < Q; q++)
                for (int p = 0; p < P; p++)
                    a[r][q][p] = value(r * Q + q, p + calls);
        doitgen(nr, nq, np, a, w);
        // The inputs are functions of their indices; untouched elements still are.
        for (int r = 0; r < R; r++)
            for (int q = 0; q < Q; q++)
                for (int p = 0; p < P; p++) {
                    double want = value(r * Q + q, p + calls);
                    if (r < nr && q < nq && p < np) {
                        want = 0.0;
                        for (int s = np - 1; s >= 0; s--)
                            want += (double)value(r * Q + q, s + calls) * value(s + calls, p);
                    }
                    bad += !(fabs(want - a[r][q][p]) < 1e-4);
                }
    }
    printf("doitgen: %d products, %d wrong\n", calls, bad);
    return bad != 0;
}
