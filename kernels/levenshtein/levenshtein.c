// Dynamic programming: edit distance of two strings with one row of memory.
// Wagner and Fischer 1974. A minimum of three neighbours, of which one is carried in a variable, one comes from the row of
// before and one was just written: the diagonal dependence of all alignment.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX 64

static inline int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

LOOM_ACCEL int levenshtein(const char *a, int n, const char *b, int m)
{
    int row[MAX + 1];
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

// Shortest path by waves: how far along each diagonal can one get with d edits (Ukkonen 1985).
static int waves(const char *a, int n, const char *b, int m)
{
    int far[2 * MAX + 5], next[2 * MAX + 5];
    int *const origin = far + MAX + 2, *const fresh = next + MAX + 2;
    for (int k = -MAX - 2; k <= MAX + 2; k++)
        origin[k] = -1000;
    for (int d = 0;; d++) {
        for (int k = -n; k <= m; k++) {
            int i = d == 0 ? (k == 0 ? 0 : -1000) : origin[k] + 1;
            if (d > 0) {
                i = origin[k - 1] > i ? origin[k - 1] : i;
                i = origin[k + 1] + 1 > i ? origin[k + 1] + 1 : i;
            }
            if (i > n)
                i = n;
            if (i + k > m)
                i = m - k;
            while (i >= 0 && i + k >= 0 && i < n && i + k < m && a[i] == b[i + k])
                i++;
            fresh[k] = i;
        }
        for (int k = -n; k <= m; k++)
            origin[k] = fresh[k];
        if (origin[m - n] >= n)
            return d;
    }
}

int main(void)
{
    static const char *const known[][2] = {{"kitten", "sitting"}, {"", "abc"}, {"abc", ""}, {"", ""}, {"flaw", "lawn"}};
    static const int distance[] = {3, 3, 3, 0, 2}, sizes[][2] = {{MAX, MAX}, {1, 1}, {60, 20}, {13, 50}};
    char a[MAX], b[MAX];
    uint32_t state = 1;
    int bad = 0, calls = 0, total = 0;
    for (; calls < 5; calls++)
        bad += levenshtein(known[calls][0], (int)strlen(known[calls][0]), known[calls][1], (int)strlen(known[calls][1])) !=
               distance[calls];
    for (int s = 0; s < 4; s++, calls++) {
        for (int i = 0; i < MAX; i++) {
            state = state * 1664525u + 1013904223u;
            a[i] = (char)('a' + (state >> 30));
            b[i] = state >> 20 & 7 ? a[(i * 15 / 16 + 1) % MAX] : (char)('a' + (state >> 25 & 3));
        }
        const int d = levenshtein(a, sizes[s][0], b, sizes[s][1]);
        bad += d != waves(a, sizes[s][0], b, sizes[s][1]);
        total += d;
    }
    printf("levenshtein: %d pairs, %d edits, %d wrong\n", calls, total, bad);
    return bad != 0 || total == 0;
}
