/* Functions of the C library that a program calls and that are no op: what the standard says of them, in the "C" locale. They become
 * part of the function that calls them, as the program's own do. Loops are of the kind that streams where they can.
 * SPDX-License-Identifier: Apache-2.0 */

typedef __SIZE_TYPE__ size_t;

/* Strings. */

size_t strlen(const char *s)
{
    const char *end = s;
    while (*end)
        end++;
    return (size_t)(end - s);
}

size_t strnlen(const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (x != y || x == 0)
            return x - y;
    }
    return 0;
}

char *strchr(const char *s, int c)
{
    for (; *s != (char)c; s++)
        if (!*s)
            return 0;
    return (char *)s;
}

char *strrchr(const char *s, int c)
{
    const char *last = 0;
    for (;; s++) {
        if (*s == (char)c)
            last = s;
        if (!*s)
            return (char *)last;
    }
}

size_t strspn(const char *s, const char *set)
{
    const char *at = s;
    for (; *at; at++) {
        const char *k = set;
        while (*k && *k != *at)
            k++;
        if (!*k)
            break;
    }
    return (size_t)(at - s);
}

size_t strcspn(const char *s, const char *set)
{
    const char *at = s;
    for (; *at; at++) {
        const char *k = set;
        while (*k && *k != *at)
            k++;
        if (*k)
            break;
    }
    return (size_t)(at - s);
}

char *strcpy(char *restrict to, const char *restrict from)
{
    char *out = to;
    while ((*out++ = *from++))
        ;
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
    int ended = 0;
    for (size_t i = 0; i < n; i++) {
        char c = 0;
        if (!ended)
            c = from[i];
        ended |= !c;
        to[i] = c;
    }
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    char *out = to;
    while (*out)
        out++;
    while ((*out++ = *from++))
        ;
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t n)
{
    char *out = to;
    while (*out)
        out++;
    for (; n && *from; n--)
        *out++ = *from++;
    *out = 0;
    return to;
}

/* Bytes. */

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return (int)x[i] - (int)y[i];
    return 0;
}

int bcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return 1;
    return 0;
}

void *memchr(const void *s, int c, size_t n)
{
    const unsigned char *at = s;
    for (size_t i = 0; i < n; i++)
        if (at[i] == (unsigned char)c)
            return (void *)(at + i);
    return 0;
}

/* Characters. */

int isdigit(int c) { return (unsigned)c - '0' < 10; }
int islower(int c) { return (unsigned)c - 'a' < 26; }
int isupper(int c) { return (unsigned)c - 'A' < 26; }
int isalpha(int c) { return ((unsigned)c | 32) - 'a' < 26; }
int isalnum(int c) { return (((unsigned)c | 32) - 'a' < 26) | ((unsigned)c - '0' < 10); }
int isxdigit(int c) { return (((unsigned)c | 32) - 'a' < 6) | ((unsigned)c - '0' < 10); }
int isblank(int c) { return (c == ' ') | (c == '\t'); }
int isspace(int c) { return (c == ' ') | ((unsigned)c - '\t' < 5); }
int iscntrl(int c) { return ((unsigned)c < 32) | (c == 127); }
int isprint(int c) { return (unsigned)c - 32 < 95; }
int isgraph(int c) { return (unsigned)c - 33 < 94; }
int ispunct(int c)
{
    return ((unsigned)c - 33 < 94) & !((((unsigned)c | 32) - 'a' < 26) | ((unsigned)c - '0' < 10));
}
int tolower(int c) { return (unsigned)c - 'A' < 26 ? c + 32 : c; }
int toupper(int c) { return (unsigned)c - 'a' < 26 ? c - 32 : c; }

/* Numbers. Exact: what is rounded is rounded once. */

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }

float fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
double fdim(double x, double y) { return x <= y ? 0.0 : x - y; }

/* Squares of two floats are exact in double; only an infinity beside no number is an infinity. */
float hypotf(float x, float y)
{
    if (__builtin_fabsf(x) == __builtin_inff() || __builtin_fabsf(y) == __builtin_inff())
        return __builtin_inff();
    return (float)__builtin_sqrt((double)x * x + (double)y * y);
}

static double power_of_two(int n)
{
    union { unsigned long long bits; double number; } of = { (unsigned long long)(n + 1023) << 52 };
    return of.number;
}

/* Each float times what double holds is exact in double, and rounded once where it becomes a float. */
float ldexpf(float x, int n)
{
    int within = n < -400 ? -400 : n > 400 ? 400 : n;
    return (float)((double)x * power_of_two(within));
}

/* In steps that leave room for all bits, so that only the last one rounds. */
double ldexp(double x, int n)
{
    for (int k = 0; k < 2 && n > 1023; k++, n -= 1023)
        x *= power_of_two(1023);
    for (int k = 0; k < 2 && n < -1022; k++, n += 1022 - 53)
        x *= power_of_two(-1022 + 53);
    return x * power_of_two(n < -1022 ? -1022 : n > 1023 ? 1023 : n);
}

float scalbnf(float x, int n) { return ldexpf(x, n); }
double scalbn(double x, int n) { return ldexp(x, n); }
