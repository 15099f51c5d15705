// Dynamic programming: best local alignment of two DNA sequences with affine gaps.
// Smith and Waterman 1981, Gotoh 1982. Three recurrences that feed each other, of which two stay in row buffers, a
// substitution matrix of constants, and a maximum over everything with its place.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 60
#define OPEN 7
#define EXTEND 1

static const int8_t substitution[4][4] = {{5, -4, -1, -4}, {-4, 5, -4, -1}, {-1, -4, 5, -4}, {-4, -1, -4, 5}};

static inline int max(int a, int b)
{
    return a > b ? a : b;
}

struct hit {
    int32_t score, i, j;
};

LOOM_ACCEL struct hit smith_waterman(const uint8_t *restrict a, int n, const uint8_t *restrict b, int m)
{
    int16_t score[MAX + 1], gap[MAX + 1];
    struct hit best = {0, 0, 0};
    for (int j = 0; j <= m; j++) {
        score[j] = 0;
        gap[j] = -1000;
    }
    for (int i = 1; i <= n; i++) {
        int diagonal = 0, left = 0, left_gap = -1000;
        for (int j = 1; j <= m; j++) {
            gap[j] = (int16_t)max(gap[j] - EXTEND, score[j] - OPEN);
            left_gap = max(left_gap - EXTEND, left - OPEN);
            const int match = diagonal + substitution[a[i - 1] & 3][b[j - 1] & 3];
            diagonal = score[j];
            left = max(max(0, match), max(gap[j], left_gap));
            score[j] = (int16_t)left;
            if (left > best.score)
                best = (struct hit){left, i, j};
        }
    }
    return best;
}

// The original form: every gap of every length is tried at every place.
static struct hit cubic(const uint8_t *a, int n, const uint8_t *b, int m)
{
    static int h[MAX + 1][MAX + 1];
    struct hit best = {0, 0, 0};
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int s = h[i - 1][j - 1] + substitution[a[i - 1]][b[j - 1]];
            for (int k = 1; k <= i; k++)
                s = max(s, h[i - k][j] - OPEN - EXTEND * (k - 1));
            for (int k = 1; k <= j; k++)
                s = max(s, h[i][j - k] - OPEN - EXTEND * (k - 1));
            h[i][j] = max(s, 0);
            if (h[i][j] > best.score)
                best = (struct hit){h[i][j], i, j};
        }
    return best;
}

int main(void)
{
    static const int sizes[][2] = {{MAX, MAX}, {0, 4}, {4, 0}, {1, 1}, {50, 20}, {17, 55}};
    uint8_t a[MAX], b[MAX];
    uint32_t state = 7;
    int bad = 0, calls = 0, total = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls][0], m = sizes[calls][1];
        // b is a with pieces left out and letters changed.
        for (int i = 0; i < MAX; i++) {
            state = state * 1664525u + 1013904223u;
            a[i] = (uint8_t)(state >> 30);
        }
        for (int j = 0, i = 3; j < MAX; j++, i++) {
            state = state * 1664525u + 1013904223u;
            i += state >> 28 == 0 ? 4 : 0;
            b[j] = state >> 29 == 1 ? (uint8_t)(state >> 12 & 3) : a[i % MAX];
        }
        const struct hit have = smith_waterman(a, n, b, m), want = cubic(a, n, b, m);
        bad += have.score != want.score || have.i != want.i || have.j != want.j;
        total += have.score;
    }
    printf("smith_waterman: %d pairs, total score %d, %d wrong\n", calls, total, bad);
    return bad != 0 || total < 100;
}
