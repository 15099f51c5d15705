// Arrays of arrays: what is accessed by subscripts goes through views that have rows, what is not through the words of the array; and
// variables, of which some are reached by their names alone and some through pointers.
#include "loom.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 9
#define COLUMNS 7

unsigned char seen[ROWS][COLUMNS];
static int shown[ROWS][COLUMNS];
static int cube[4][ROWS][COLUMNS];

// By name alone, with bytes from outside that could be anything else.
LOOM_ACCEL int by_name(const unsigned char *bytes, int n, int m)
{
    for (int j = 0; j < m; j++)
        seen[0][j] = 0;
    for (int i = 1; i < n; i++) {
        seen[i][0] = (unsigned char)i;
        for (int j = 1; j < m; j++)
            seen[i][j] = (unsigned char)(seen[i - 1][j - 1] + (bytes[i] == bytes[j]) + (seen[i - 1][j] > seen[i][j - 1]));
    }
    return seen[n - 1][m - 1];
}

// A pointer points into the table that the function names.
LOOM_ACCEL void by_pointer(int *p, int n, int m)
{
    for (int i = 0; i + 1 < n; i++)
        for (int j = 0; j < m; j++) {
            shown[i + 1][j] += p[j] + 1;
            p[j + m] ^= i;
        }
}

// Rows, all words one behind the other, a row by its address, and a row further.
LOOM_ACCEL int mixed(int (*t)[COLUMNS], int n)
{
    int *words = t[0], sum = 0;
    for (int k = 0; k < n * COLUMNS; k++)
        words[k] += k;
    for (int i = 1; i < n; i++) {
        const int *before = t[i - 1];
        for (int j = 0; j < COLUMNS; j++)
            t[i][j] += before[COLUMNS - 1 - j] + t[i - 1][j];
    }
    for (int i = 0; i + 1 < n; i++)
        sum = 3 * sum + (*(t + i + 1))[i % COLUMNS] + t[i][0];
    for (int i = 0; i < COLUMNS; i++)
        sum += words[i * COLUMNS + i];
    return sum;
}

// Three dimensions, some with constants, and a local array that is cleared as a whole.
LOOM_ACCEL int three(int n, int m)
{
    int row[3][COLUMNS], sum = 0;
    memset(row, 0, sizeof row);
    for (int k = 1; k < 4; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                cube[k][i][j] = cube[k - 1][i][m - 1 - j] + cube[0][0][j] + k;
                row[k - 1][j] += cube[k][i][j] & 15;
            }
    for (int j = 0; j < m; j++)
        sum = 5 * sum + row[0][j] + row[2][m - 1 - j];
    return sum;
}

static int wrong;

static void is(const char *what, long got, long wanted)
{
    if (got != wanted) {
        printf("%s: %ld, not %ld\n", what, got, wanted);
        wrong++;
    }
}

// The same by other means.
static int expect_by_name(const unsigned char *bytes, int n, int m)
{
    int *t = calloc((size_t)(n * m), sizeof *t);
    for (int k = m; k < n * m; k++) {
        const int i = k / m, j = k % m;
        t[k] = j == 0 ? i : (t[k - m - 1] + (bytes[i] == bytes[j]) + (t[k - m] > t[k - 1])) & 255;
    }
    const int last = t[n * m - 1];
    free(t);
    return last;
}

static unsigned expect_by_pointer(int *s, int n, int m)
{
    unsigned sum = 0;
    for (int i = 0; i + 1 < n; i++)
        for (int j = 0; j < m; j++) {
            int *below = s + (i + 1) * COLUMNS + j;
            *below += s[j] + 1;
            s[j + m] ^= i;
        }
    for (int k = 0; k < ROWS * COLUMNS; k++)
        sum = 3 * sum + (unsigned)s[k];
    return sum;
}

int main(void)
{
    static const int sizes[][2] = {{ROWS, COLUMNS}, {1, 1}, {2, COLUMNS}, {ROWS, 1}, {5, 4}};
    const unsigned char bytes[] = "abacabadab";
    for (int call = 0; call < 5; call++) {
        const int n = sizes[call][0], m = sizes[call][1];
        is("by name", by_name(bytes, n, m), expect_by_name(bytes, n, m));

        int copy[ROWS * COLUMNS];
        memcpy(copy, shown, sizeof copy);
        by_pointer(&shown[0][0], n, m);
        unsigned sum = 0;
        for (int k = 0; k < ROWS * COLUMNS; k++)
            sum = 3 * sum + (unsigned)(&shown[0][0])[k];
        is("by pointer", sum, expect_by_pointer(copy, n, m));

        int t[ROWS * COLUMNS + 3], u[ROWS][COLUMNS];
        for (int k = 0; k < ROWS * COLUMNS; k++)
            t[k] = k * call, u[k / COLUMNS][k % COLUMNS] = k * call + (k < n * COLUMNS ? k : 0);
        for (int i = 1; i < n; i++)
            for (int j = 0; j < COLUMNS; j++)
                u[i][j] += u[i - 1][COLUMNS - 1 - j] + u[i - 1][j];
        long folded = 0;
        for (int i = 0; i + 1 < n; i++)
            folded = (int)(3u * (unsigned)folded + (unsigned)u[i + 1][i % COLUMNS] + (unsigned)u[i][0]);
        for (int i = 0; i < COLUMNS; i++)
            folded = (int)((unsigned)folded + (unsigned)u[i][i]);
        is("mixed", mixed((int (*)[COLUMNS])t, n), folded);

        static int flat[4 * ROWS * COLUMNS];
        long rows = 0;
        int first[COLUMNS] = {0}, last[COLUMNS] = {0};
        for (int j = 0; j < COLUMNS; j++)
            cube[0][0][j] = flat[j] = j + call;
        for (int k = 1; k < 4; k++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    int *at = flat + (k * ROWS + i) * COLUMNS;
                    at[j] = flat[((k - 1) * ROWS + i) * COLUMNS + m - 1 - j] + flat[j] + k;
                    if (k == 1)
                        first[j] += at[j] & 15;
                    if (k == 3)
                        last[j] += at[j] & 15;
                }
        for (int j = 0; j < m; j++)
            rows = 5 * rows + first[j] + last[m - 1 - j];
        is("three", three(n, m), rows);
    }
    printf("%d wrong\n", wrong);
    return wrong;
}
