// Functions of the C library whose bodies come with LOOM.
#include "loom.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LOOM_ACCEL int strings(const char *a, const char *b, int n)
{
    int order = strcmp(a, b), part = strncmp(a, b, 3), bytes = memcmp(a, b, (size_t)n);
    return (int)strlen(a) + 100 * (int)strnlen(b, 4) + 1000 * ((order > 0) - (order < 0)) +
           10000 * ((part > 0) - (part < 0)) + 100000 * ((bytes > 0) - (bytes < 0)) + 1000000 * (strcmp(a, "loom") == 0);
}

LOOM_ACCEL int found(const char *text, int c)
{
    const char *first = strchr(text, c), *last = strrchr(text, c);
    const char *byte = memchr(text, c, 5);
    return (first ? (int)(first - text) : -1) + 100 * (last ? (int)(last - text) : -1) + 10000 * (byte != 0) +
           100000 * (int)strspn(text, "abc") + 1000000 * (int)strcspn(text, "xyz");
}

LOOM_ACCEL void put(char *restrict to, const char *restrict from)
{
    strcpy(to, from);
    strcat(to, from);
    strncat(to, from, 2);
    strncpy(to + 20, from, 8);
}

LOOM_ACCEL int kinds(int c)
{
    return (isdigit(c) != 0) | (isalpha(c) != 0) << 1 | (isalnum(c) != 0) << 2 | (isspace(c) != 0) << 3 |
           (isupper(c) != 0) << 4 | (islower(c) != 0) << 5 | (isxdigit(c) != 0) << 6 | (ispunct(c) != 0) << 7 |
           (isprint(c) != 0) << 8 | (isgraph(c) != 0) << 9 | (iscntrl(c) != 0) << 10 | (isblank(c) != 0) << 11 |
           toupper(c) << 12 | (tolower(c) & 255) << 21;
}

LOOM_ACCEL void numbers(double *out, const float *x, const int *n, int count)
{
    for (int i = 0; i < count; i++) {
        out[8 * i] = lroundf(x[i]);
        out[8 * i + 1] = lrintf(x[i]);
        out[8 * i + 2] = fdimf(x[i], 1.5f);
        out[8 * i + 3] = hypotf(x[i], 3.0f);
        out[8 * i + 4] = ldexpf(x[i], n[i]);
        out[8 * i + 5] = ldexp(x[i], n[i]);
        out[8 * i + 6] = fdim(x[i], -2.25);
        out[8 * i + 7] = (double)labs((long)n[i]) + abs(n[i] / 2);
    }
}


LOOM_ACCEL int classes(const float *x, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum = 3 * sum + (isnan(x[i]) != 0) + 2 * (isfinite(x[i]) != 0) + 5 * (isnormal(x[i]) != 0) + 7 * (isinf(x[i]) != 0);
    return sum;
}

int main(void)
{
    int wrong = 0;
    static const char *const words[] = {"loom", "loop", "", "lo", "loom", "weave"};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const char *a = words[i], *b = words[j];
            int n = (int)(strlen(a) < strlen(b) ? strlen(a) : strlen(b)) + 1;
            int order = strcmp(a, b), part = strncmp(a, b, 3), bytes = memcmp(a, b, (size_t)n);
            int want = (int)strlen(a) + 100 * (int)strnlen(b, 4) + 1000 * ((order > 0) - (order < 0)) +
                       10000 * ((part > 0) - (part < 0)) + 100000 * ((bytes > 0) - (bytes < 0)) +
                       1000000 * (strcmp(a, "loom") == 0);
            wrong += strings(a, b, n) != want;
        }
    wrong += found("abcabz", 'b') != 1 + 400 + 10000 + 500000 + 5000000;
    wrong += found("hello", 'q') != -1 - 100 + 5000000;
    wrong += found("hello", 0) != 5 + 500 + 5000000;
    char text[32], want[32];
    memset(text, '#', sizeof text);
    memset(want, '#', sizeof want);
    put(text, "weave");
    memcpy(want, "weaveweavewe", 13);
    memcpy(want + 20, "weave\0\0\0", 8);
    wrong += memcmp(text, want, sizeof text) != 0;
    for (int c = -1; c < 128; c++) {
        int all = (isdigit(c) != 0) | (isalpha(c) != 0) << 1 | (isalnum(c) != 0) << 2 | (isspace(c) != 0) << 3 |
                  (isupper(c) != 0) << 4 | (islower(c) != 0) << 5 | (isxdigit(c) != 0) << 6 |
                  (ispunct(c) != 0) << 7 | (isprint(c) != 0) << 8 | (isgraph(c) != 0) << 9 |
                  (iscntrl(c) != 0) << 10 | (isblank(c) != 0) << 11 | toupper(c) << 12 | (tolower(c) & 255) << 21;
        wrong += kinds(c) != all;
    }
    float x[] = {0.5f, 1.5f, -2.5f, 3.49f, 1e-40f, 1e30f, INFINITY, -0.0f, NAN, 1.2345678f, 1.2345678f};
    int n[] = {3, -149, 127, -1074, 500, -1200, 7, 2, 1, -2000, 3000};
    enum { COUNT = sizeof n / sizeof *n };
    double out[8 * COUNT];
    numbers(out, x, n, COUNT);
    for (int i = 0; i < COUNT; i++) {
        int fits = fabsf(x[i]) < 1e9f;
        double all[] = {fits ? lroundf(x[i]) : out[8 * i], fits ? lrintf(x[i]) : out[8 * i + 1],
                        fdimf(x[i], 1.5f), hypotf(x[i], 3.0f), ldexpf(x[i], n[i]), ldexp(x[i], n[i]),
                        fdim(x[i], -2.25), (double)labs((long)n[i]) + abs(n[i] / 2)};
        for (int k = 0; k < 8; k++)
            wrong += memcmp(&all[k], &out[8 * i + k], sizeof(double)) != 0 && !(isnan(all[k]) && isnan(out[8 * i + k]));
    }
    int all = 0;
    for (int i = 0; i < COUNT; i++)
        all = 3 * all + (isnan(x[i]) != 0) + 2 * (isfinite(x[i]) != 0) + 5 * (isnormal(x[i]) != 0) + 7 * (isinf(x[i]) != 0);
    wrong += classes(x, COUNT) != all;
    printf("%d wrong\n", wrong);
    return wrong;
}
