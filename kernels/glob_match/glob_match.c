// Strings: file name patterns with * and ?, without recursion.
// The shell's wildcard. One position in the pattern can jump back to the last star, again and again; four conditions decide
// each step, and two ways lead out of the loop.
#include "loom.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

LOOM_ACCEL bool glob_match(const char *pattern, const char *name)
{
    const char *star = NULL, *mark = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            mark = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++mark;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

// By a table: whether the first i characters of the pattern match the first j of the name.
static bool table(const char *pattern, const char *name)
{
    static bool t[64][256];
    const size_t m = strlen(pattern), n = strlen(name);
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            if (i == 0)
                t[i][j] = j == 0;
            else if (pattern[i - 1] == '*')
                t[i][j] = t[i - 1][j] || (j > 0 && t[i][j - 1]);
            else
                t[i][j] = j > 0 && t[i - 1][j - 1] && (pattern[i - 1] == '?' || pattern[i - 1] == name[j - 1]);
        }
    return t[m][n];
}

int main(void)
{
    static const char *const patterns[] = {"", "*", "?", "a*b", "*.c", "a?c*", "*a*b*a*", "**b?", "abcabc", "*ab*ba*ab*c", "?*?*?"};
    static const char *const names[] = {"", "a", "b", "main.c", "abc", "abcabc", "ab.c.d", "aaab"};
    static char name[201];
    int bad = 0, calls = 0, matches = 0;
    unsigned state = 8;
    for (unsigned p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++, calls++) {
            const bool match = glob_match(patterns[p], names[k]);
            bad += match != table(patterns[p], names[k]);
            matches += match;
        }
        for (int k = 0; k < 3; k++, calls++) {
            // Few letters, so that stars are tried many times.
            for (int i = 0; i < 200; i++) {
                state = state * 1664525u + 1013904223u;
                name[i] = "aabbac"[(state >> 16) % 6];
            }
            const bool match = glob_match(patterns[p], name);
            bad += match != table(patterns[p], name);
            matches += match;
        }
    }
    printf("glob_match: %d names, %d matches, %d wrong\n", calls, matches, bad);
    return bad != 0 || matches < 10;
}
