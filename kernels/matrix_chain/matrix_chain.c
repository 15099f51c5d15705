// Dynamic programming: cheapest order to multiply a chain of matrices.
// Godbole 1973; Cormen et al. Triangular loops over lengths, starts and cuts, a minimum of 64-bit costs with its place,
// reads by rows and by columns of one table.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 26

LOOM_ACCEL uint64_t matrix_chain(const uint32_t *size, int n, uint64_t cost[MAX][MAX], uint8_t cut[MAX][MAX])
{
    for (int i = 0; i < n; i++)
        cost[i][i] = 0;
    for (int length = 2; length <= n; length++) {
        for (int i = 0; i + length <= n; i++) {
            const int j = i + length - 1;
            uint64_t best = UINT64_MAX;
            for (int k = i; k < j; k++) {
                const uint64_t c = cost[i][k] + cost[k + 1][j] + (uint64_t)size[i] * size[k + 1] * size[j + 1];
                if (c < best) {
                    best = c;
                    cut[i][j] = (uint8_t)k;
                }
            }
            cost[i][j] = best;
        }
    }
    return n > 0 ? cost[0][n - 1] : 0;
}

static uint8_t cut[MAX][MAX];

// What the order that the cuts describe costs.
static uint64_t replay(const uint32_t *size, int i, int j)
{
    if (i == j)
        return 0;
    const int k = cut[i][j];
    return replay(size, i, k) + replay(size, k + 1, j) + (uint64_t)size[i] * size[k + 1] * size[j + 1];
}

// The best of all orders, by trying them: only for short chains.
static uint64_t all(const uint32_t *size, int n)
{
    uint64_t best = n > 1 ? UINT64_MAX : 0;
    for (int k = 1; k < n; k++) {
        uint32_t less[MAX];
        for (int i = 0, at = 0; i <= n; i++)
            if (i != k)
                less[at++] = size[i];
        const uint64_t c = all(less, n - 1) + (uint64_t)size[k - 1] * size[k] * size[k + 1];
        best = c < best ? c : best;
    }
    return best;
}

int main(void)
{
    static const uint32_t known[] = {30, 35, 15, 5, 10, 20, 25};
    static uint64_t cost[MAX][MAX];
    uint32_t size[MAX + 1], state = 90;
    int bad = 0, calls = 0;
    bad += matrix_chain(known, 6, cost, cut) != 15125;
    bad += matrix_chain(known, 0, cost, cut) != 0;
    for (int n = 1; n <= 8; n++, calls++) {
        for (int i = 0; i <= n; i++) {
            state = state * 1664525u + 1013904223u;
            size[i] = 1 + (state >> 12);
        }
        bad += matrix_chain(size, n, cost, cut) != all(size, n);
        bad += replay(size, 0, n - 1) != cost[0][n - 1];
    }
    for (int i = 0; i <= MAX; i++)
        size[i] = (uint32_t)(1 + i * 37 % 50);
    const uint64_t least = matrix_chain(size, MAX, cost, cut);
    bad += least != replay(size, 0, MAX - 1);
    // Not worse than from the left or from the right.
    uint64_t left = 0, right = 0;
    for (int k = 1; k < MAX; k++) {
        left += (uint64_t)size[0] * size[k] * size[k + 1];
        right += (uint64_t)size[k - 1] * size[k] * size[MAX];
    }
    bad += least > left || least > right || least == 0;
    printf("matrix_chain: %d chains, %d wrong\n", calls + 3, bad);
    return bad != 0;
}
