// Machine learning: k-means clustering of points in the plane until no point changes its cluster.
// Lloyd 1957. A nearest-centre search with its index, sums that are scattered by that index, divisions by counts that may
// be zero, and an outer loop that data end.
#include "loom.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define K 4

struct point {
    float x, y;
};

// Returns the rounds; at most `limit`.
LOOM_ACCEL int kmeans(const struct point *restrict p, int n, struct point *restrict centre, uint8_t *restrict cluster,
                      int limit)
{
    int round = 0;
    bool changed = true;
    while (changed && round < limit) {
        struct point sum[K] = {{0.0f, 0.0f}};
        int count[K] = {0};
        changed = round == 0;
        for (int i = 0; i < n; i++) {
            float least = INFINITY;
            uint8_t nearest = 0;
            for (uint8_t c = 0; c < K; c++) {
                const float dx = p[i].x - centre[c].x, dy = p[i].y - centre[c].y;
                const float d = dx * dx + dy * dy;
                if (d < least) {
                    least = d;
                    nearest = c;
                }
            }
            if (cluster[i] != nearest) {
                cluster[i] = nearest;
                changed = true;
            }
            sum[nearest].x += p[i].x;
            sum[nearest].y += p[i].y;
            count[nearest]++;
        }
        for (int c = 0; c < K; c++) {
            if (count[c] == 0)
                continue;
            centre[c].x = sum[c].x / (float)count[c];
            centre[c].y = sum[c].y / (float)count[c];
        }
        round++;
    }
    return round;
}

#define N 200

int main(void)
{
    static const struct point truth[K] = {{0.0f, 0.0f}, {8.0f, 1.0f}, {2.0f, 9.0f}, {9.0f, 9.0f}};
    static const int sizes[] = {N, 0, 1, 4, 77};
    static struct point p[N];
    static uint8_t cluster[N];
    uint32_t state = 73;
    int bad = 0, calls = 0, rounds = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            p[i].x = truth[i % K].x + (float)(state >> 24) / 100.0f - 1.28f;
            p[i].y = truth[i % K].y + (float)(state >> 16 & 255) / 100.0f - 1.28f;
            cluster[i] = 0;
        }
        struct point centre[K] = {{1.0f, 3.0f}, {5.0f, 0.0f}, {3.0f, 6.0f}, {6.0f, 6.0f}};
        const int r = kmeans(p, n, centre, cluster, 50);
        bad += r < 1 || r >= 50;
        rounds += r;
        bad += kmeans(p, n, centre, cluster, 0) != 0;
        // A fixed point, and the one that the points were made from.
        for (int c = 0; c < K; c++) {
            double x = 0.0, y = 0.0;
            int count = 0;
            for (int i = 0; i < n; i++)
                if (cluster[i] == c) {
                    x += p[i].x;
                    y += p[i].y;
                    count++;
                }
            bad += count > 0 && !(fabs(x / count - centre[c].x) < 1e-3 && fabs(y / count - centre[c].y) < 1e-3);
            bad += count != n / K + (c < n % K);
        }
        for (int i = 0; i < n; i++)
            bad += cluster[i] != i % K;
    }
    printf("kmeans: %d clouds, %d rounds, %d wrong\n", calls, rounds, bad);
    return bad != 0;
}
