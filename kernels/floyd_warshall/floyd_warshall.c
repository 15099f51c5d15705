// Dynamic programming: shortest paths between all pairs, and the next node on each.
// Floyd 1962, Warshall 1962; PolyBench. Three nested loops over one matrix that is read at three places and written at one:
// the two inner ones are independent for a reason no compiler finds.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 24
#define FAR 1000000

LOOM_ACCEL void floyd_warshall(int n, int32_t distance[MAX][MAX], int8_t next[MAX][MAX])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (distance[i][k] + distance[k][j] < distance[i][j]) {
                    distance[i][j] = distance[i][k] + distance[k][j];
                    next[i][j] = next[i][k];
                }
}

int main(void)
{
    static const int sizes[] = {MAX, 0, 1, 2, 15};
    static int32_t weight[MAX][MAX], distance[MAX][MAX], want[MAX][MAX], product[MAX][MAX];
    static int8_t next[MAX][MAX];
    uint32_t state = 57;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                state = state * 1664525u + 1013904223u;
                weight[i][j] = i == j ? 0 : state >> 29 == 0 ? 1 + (int32_t)(state >> 12 & 1023) : FAR;
                want[i][j] = distance[i][j] = weight[i][j];
                next[i][j] = (int8_t)j;
            }
        floyd_warshall(n, distance, next);
        // Squaring in the algebra of minimum and plus.
        for (int paths = 1; paths < n; paths *= 2) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    product[i][j] = FAR;
                    for (int k = 0; k < n; k++)
                        if (want[i][k] + want[k][j] < product[i][j])
                            product[i][j] = want[i][k] + want[k][j];
                }
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    want[i][j] = product[i][j];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                bad += distance[i][j] != want[i][j];
                int at = i, steps = 0;
                int32_t length = 0;
                while (at != j && distance[i][j] < FAR && steps++ < n) {
                    length += weight[at][next[at][j]];
                    at = next[at][j];
                }
                bad += distance[i][j] < FAR && (at != j || length != distance[i][j]);
            }
    }
    printf("floyd_warshall: %d graphs, %d wrong\n", calls, bad);
    return bad != 0;
}
