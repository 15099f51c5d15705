// Dynamic programming: longest common subsequence, the table and one subsequence found from it.
// Hirschberg 1975; diff. A two-dimensional table is filled by rows, then read along a path from its corner on which each
// step depends on what was read.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX 56

static uint8_t length[MAX + 1][MAX + 1];

LOOM_ACCEL int lcs(const uint8_t *a, int n, const uint8_t *b, int m, uint8_t *common)
{
    for (int j = 0; j <= m; j++)
        length[0][j] = 0;
    for (int i = 1; i <= n; i++) {
        length[i][0] = 0;
        for (int j = 1; j <= m; j++) {
            if (a[i - 1] == b[j - 1])
                length[i][j] = (uint8_t)(length[i - 1][j - 1] + 1);
            else
                length[i][j] = length[i - 1][j] > length[i][j - 1] ? length[i - 1][j] : length[i][j - 1];
        }
    }
    const int total = length[n][m];
    int left = total;
    while (left > 0) {
        if (length[n - 1][m] == left)
            n--;
        else if (length[n][m - 1] == left)
            m--;
        else {
            common[--left] = a[--n];
            m--;
        }
    }
    return total;
}

// In order of length: the least end in b of a common subsequence of each length, one symbol of a after another.
static int by_thresholds(const uint8_t *a, int n, const uint8_t *b, int m)
{
    int end[MAX + 2], best = 0;
    end[0] = 0;
    for (int i = 0; i < n; i++)
        for (int k = best; k >= 0; k--) {
            int j = end[k];
            while (j < m && b[j] != a[i])
                j++;
            if (j == m)
                continue;
            if (k == best || j + 1 < end[k + 1])
                end[k + 1] = j + 1;
            if (k == best)
                best++;
        }
    return best;
}

static int contains(const uint8_t *text, int n, const uint8_t *part, int m)
{
    int at = 0;
    for (int i = 0; i < n && at < m; i++)
        at += text[i] == part[at];
    return at == m;
}

int main(void)
{
    static const int sizes[][2] = {{MAX, MAX}, {0, 5}, {5, 0}, {1, 1}, {40, 17}, {9, 50}};
    uint8_t a[MAX], b[MAX], common[MAX];
    uint32_t state = 14;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls][0], m = sizes[calls][1];
        for (int i = 0; i < MAX; i++) {
            state = state * 22695477u + 1u;
            a[i] = (uint8_t)(state >> 29);
            b[i] = (uint8_t)(state >> 20 & 7);
        }
        if (calls == 3)
            b[0] = a[0];
        memset(length, 200, sizeof length);
        const int total = lcs(a, n, b, m, common);
        bad += total != by_thresholds(a, n, b, m);
        bad += calls == 3 && total != 1;
        bad += !contains(a, n, common, total) || !contains(b, m, common, total);
    }
    printf("lcs: %d pairs, %d wrong\n", calls, bad);
    return bad != 0;
}
