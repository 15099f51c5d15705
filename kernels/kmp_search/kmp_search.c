// Strings: all places of a pattern in a text by Knuth, Morris and Pratt.
// Knuth, Morris, Pratt 1977. The failure table is built in a local array by a loop that reads its own earlier entries; a
// while inside each scan falls back by data.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PATTERN 32

LOOM_ACCEL int kmp_search(const char *text, int n, const char *pattern, int m, int *places, int limit)
{
    int fail[PATTERN + 1];
    int found = 0;
    if (m < 1 || m > PATTERN)
        return 0;
    fail[0] = -1;
    for (int i = 0, k = -1; i < m;) {
        while (k >= 0 && pattern[i] != pattern[k])
            k = fail[k];
        fail[++i] = ++k;
    }
    for (int i = 0, k = 0; i < n; i++) {
        while (k >= 0 && text[i] != pattern[k])
            k = fail[k];
        if (++k == m) {
            if (found == limit)
                break;
            places[found++] = i - m + 1;
            k = fail[k];
        }
    }
    return found;
}

int main(void)
{
    static const char *const patterns[] = {"a", "ab", "abab", "aabaab", "", "bbbbbbbb", "abaababaabaab", "c"};
    static char text[500];
    static int places[500];
    int bad = 0, calls = 0, total = 0;
    // A Fibonacci word: full of repetitions that almost match.
    int have = 2, last = 1;
    text[0] = 'a';
    text[1] = 'b';
    while (have + last < 480) {
        memcpy(text + have, text, (size_t)last);
        const int t = have;
        have += last;
        last = t;
    }
    for (unsigned p = 0; p < sizeof patterns / sizeof patterns[0]; p++)
        for (int n = 0; n <= have; n += n < 2 ? 1 : have - 2) {
            const int m = (int)strlen(patterns[p]), limit = p == 1 ? 50 : 500;
            const int found = kmp_search(text, n, patterns[p], m, places, limit);
            int at = 0;
            for (int i = 0; m > 0 && i + m <= n && at < limit; i++)
                if (memcmp(text + i, patterns[p], (size_t)m) == 0)
                    bad += places[at++] != i;
            bad += found != at;
            total += found;
            calls++;
        }
    printf("kmp_search: %d searches, %d places, %d wrong\n", calls, total, bad);
    return bad != 0 || total < 100;
}
