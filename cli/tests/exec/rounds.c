// What an iteration hands to the next: sums and bits in several orders, indices of rings, hashes by remainders in loops with loops, loops that
// go on in their middle, fields of small structs, what is kept of an array in place, and what is added on a condition alone.
#include "loom.h"

#include <stdio.h>
#include <string.h>

#define N 60

typedef struct {
    int key;
    short count, last;
} entry;

#define SUMS(a, b)                                                        \
    int s = 1, t = -3;                                                    \
    unsigned h = 7;                                                       \
    for (int i = 0; i < n; i++) {                                         \
        int next = (a)[i] + (13 * s >> 3) - t;                            \
        t = s - (b)[i] - (a)[i];                                          \
        s = next;                                                         \
        h = ((h << 5) ^ (a)[i]) ^ (h >> 3) ^ (b)[i];                      \
    }                                                                     \
    return s ^ t ^ (int)h

LOOM_ACCEL int sums(const int *a, const int *b, int n)
{
    SUMS(a, b);
}

#define RING(a)                                                           \
    int s = 0, up = 0, down = size - 1;                                   \
    for (int i = 0; i < n; i++) {                                         \
        s += (a)[up] * 3 - (a)[down];                                     \
        if (++up == size)                                                 \
            up = 0;                                                       \
        if (--down < 0)                                                   \
            down = size - 1;                                              \
    }                                                                     \
    return s

LOOM_ACCEL int ring(const int *a, int n, int size)
{
    RING(a);
}

#define FIND(text)                                                        \
    unsigned h = 0;                                                       \
    int found = 0;                                                        \
    for (int i = 0; i < n; i++) {                                         \
        h = (h * 256 + (unsigned char)(text)[i]) % 1000003;               \
        if (h % 4 == 1) {                                                 \
            int j = 0;                                                    \
            while (j < 3 && (text)[j] == (text)[i])                       \
                j++;                                                      \
            found += j + 1;                                               \
        }                                                                 \
    }                                                                     \
    return found * 31 + (int)h

LOOM_ACCEL int find(const int *text, int n)
{
    FIND(text);
}

#define PARSE(in, out)                                                    \
    int i = 0, w = 0;                                                     \
    while (i < n) {                                                       \
        int e = (in)[i++];                                                \
        if (e % 3 == 0)                                                   \
            continue;                                                     \
        if (e < 0) {                                                      \
            i += 2;                                                       \
            continue;                                                     \
        }                                                                 \
        (out)[w++] = e;                                                   \
        i += e & 1;                                                       \
    }                                                                     \
    return w

LOOM_ACCEL int parse(const int *restrict in, int n, int *restrict out)
{
    PARSE(in, out);
}

#define COUNT(all)                                                        \
    int hits = 0;                                                         \
    for (int i = 0; i < n; i++) {                                         \
        unsigned j = ((unsigned)keys[i] * 40503u >> 4) & 15;              \
        if ((all)[j].key == keys[i]) {                                    \
            (all)[j].count++;                                             \
            hits++;                                                       \
        } else {                                                          \
            (all)[j].key = keys[i];                                       \
            (all)[j].last = (short)i;                                     \
        }                                                                 \
    }                                                                     \
    return hits

LOOM_ACCEL int count(entry *restrict all, const int *restrict keys, int n)
{
    COUNT(all);
}

#define KEEP(a)                                                           \
    int w = 0;                                                            \
    for (int r = 0; r < n; r++)                                           \
        if ((a)[r] > least)                                               \
            (a)[w++] = (a)[r];                                            \
    return w

LOOM_ACCEL int keep(int *a, int n, int least)
{
    KEEP(a);
}

// What is added on a condition: counts, sums that go up or down, bits, products; a place in an array too; and a table that each
// iteration asks four times.
static const short table[] = { 3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8, -9, 7, 9, 3 };

#define SOMETIMES(a, out)                                                 \
    int up = 0, both = 5, w = 0, looked = 0;                              \
    unsigned bits = 1, odd = 0, product = 1;                              \
    for (int i = 0; i < n; i++) {                                         \
        int v = (a)[i];                                                   \
        if (v > least)                                                    \
            up++;                                                         \
        else if (v < -least)                                              \
            up -= 3;                                                      \
        both = v & 1 ? both + v : both - least;                           \
        if (v > 2) {                                                      \
            bits |= 1u << (i & 31);                                       \
            product *= (unsigned)v;                                       \
            (out)[w++] = v;                                               \
        }                                                                 \
        odd = v < least ? odd : odd ^ (unsigned)v;                        \
        looked += table[v & 15] * table[i & 15] - table[v + i & 15] + table[v - i & 15]; \
    }                                                                     \
    return up ^ both << 3 ^ w << 7 ^ looked ^ (int)(bits + odd * 5 + product)

LOOM_ACCEL int sometimes(const int *restrict a, int n, int least, int *restrict out)
{
    SOMETIMES(a, out);
}

static int host_sometimes(const int *a, int n, int least, int *out)
{
    SOMETIMES(a, out);
}

static int host_keep(int *a, int n, int least)
{
    KEEP(a);
}

static int host_sums(const int *a, const int *b, int n)
{
    SUMS(a, b);
}

static int host_ring(const int *a, int n, int size)
{
    RING(a);
}

static int host_find(const int *text, int n)
{
    FIND(text);
}

static int host_parse(const int *in, int n, int *out)
{
    PARSE(in, out);
}

static int host_count(entry *all, const int *keys, int n)
{
    COUNT(all);
}

int main(void)
{
    int a[N], b[N], out[N] = { 0 }, host_out[N] = { 0 }, wrong = 0;
    entry all[16] = { 0 }, host_all[16] = { 0 };
    for (int i = 0; i < N; i++) {
        a[i] = i * i % 23 - 5;
        b[i] = i * 0x01234567;
    }
    // No iteration, one, and many, of rings of one place and of several.
    static const int sizes[] = { 0, 1, 2, 17, N };
    for (int k = 0; k < 5; k++) {
        int n = sizes[k];
        wrong += sums(a, b, n) != host_sums(a, b, n);
        wrong += ring(a, n, 1 + k) != host_ring(a, n, 1 + k);
        wrong += find(a, n) != host_find(a, n);
        wrong += parse(a, n, out) != host_parse(a, n, host_out);
        wrong += count(all, a, n) != host_count(host_all, a, n);
        wrong += sometimes(a, n, 4 - k, out) != host_sometimes(a, n, 4 - k, host_out);
    }
    memcpy(b, a, sizeof a);
    for (int least = -6; least < 20; least += 5)
        wrong += keep(a, N, least) != host_keep(b, N, least) || memcmp(a, b, sizeof a) != 0;
    for (int i = 0; i < N; i++)
        wrong += out[i] != host_out[i];
    for (int i = 0; i < 16; i++)
        wrong += all[i].key != host_all[i].key || all[i].count != host_all[i].count || all[i].last != host_all[i].last;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
