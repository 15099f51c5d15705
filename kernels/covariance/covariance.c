// Linear algebra: means and covariance matrix of a table of samples.
// PolyBench's data mining part. The data are centred in place, then a triangular loop writes each covariance to two places
// of one matrix; division by a number that only the call knows.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define SAMPLES 30
#define FACTORS 18

LOOM_ACCEL void covariance(int samples, int factors, float data[SAMPLES][FACTORS], float cov[FACTORS][FACTORS],
                           float mean[FACTORS])
{
    const float count = (float)samples;
    for (int j = 0; j < factors; j++) {
        mean[j] = 0.0f;
        for (int i = 0; i < samples; i++)
            mean[j] += data[i][j];
        mean[j] /= count;
    }
    for (int i = 0; i < samples; i++)
        for (int j = 0; j < factors; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < factors; i++) {
        for (int j = i; j < factors; j++) {
            float sum = 0.0f;
            for (int k = 0; k < samples; k++)
                sum += data[k][i] * data[k][j];
            cov[i][j] = sum / (count - 1.0f);
            cov[j][i] = cov[i][j];
        }
    }
}

int main(void)
{
    static const int sizes[][2] = {{SAMPLES, FACTORS}, {2, 1}, {3, 0}, {11, 5}};
    static float data[SAMPLES][FACTORS], cov[FACTORS][FACTORS], mean[FACTORS];
    static double original[SAMPLES][FACTORS];
    uint32_t state = 41;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int samples = sizes[calls][0], factors = sizes[calls][1];
        for (int i = 0; i < samples; i++)
            for (int j = 0; j < factors; j++) {
                state = state * 1664525u + 1013904223u;
                data[i][j] = (float)(state >> 22) / 256.0f + (float)(i * j % 5);
                original[i][j] = data[i][j];
            }
        covariance(samples, factors, data, cov, mean);
        // Pairwise: the covariance is half the mean of (x_a - x_b)(y_a - y_b) over all pairs of different samples.
        for (int x = 0; x < factors; x++)
            for (int y = 0; y < factors; y++) {
                double sum = 0.0;
                for (int a = 0; a < samples; a++)
                    for (int b = 0; b < a; b++)
                        sum += (original[a][x] - original[b][x]) * (original[a][y] - original[b][y]);
                const double want = sum / ((double)samples * (samples - 1));
                bad += !(fabs(want - cov[x][y]) < 1e-3);
            }
        for (int j = 0; j < factors; j++) {
            double left = 0.0;
            for (int i = 0; i < samples; i++)
                left += original[i][j] - mean[j];
            bad += !(fabs(left) < 1e-2);
        }
    }
    printf("covariance: %d tables, %d wrong\n", calls, bad);
    return bad != 0;
}
