// Arrays in structs: behind a pointer, in a struct in it, of several widths, in a global, walked by a pointer, copied as a whole.
#include "loom.h"

#include <stdio.h>
#include <string.h>

struct pair {
    short low[6];
    short high[6];
};

typedef struct {
    int n;
    int re[24];
    int im[24];
    struct pair halves;
    unsigned char bytes[8];
    double wide[4];
    int table[3][5];
    int tail[12];
} state;

static state kept;

// What the host computes too.
#define SCALE(s, k)                                                   \
    for (int i = 0; i < (s)->n; i++) {                                \
        (s)->re[i] *= k;                                              \
        (s)->im[i] += (s)->re[i] - (s)->re[0];                        \
    }                                                                 \
    for (int i = 0; i < 6; i++)                                       \
        (s)->halves.high[i] = (short)((s)->halves.low[5 - i] + k);    \
    for (int i = 0; i < 8; i++)                                       \
        (s)->bytes[i] = (unsigned char)((s)->re[i] ^ (s)->bytes[7]);  \
    for (int i = 0; i < 4; i++)                                       \
        (s)->wide[i] += (s)->im[i];                                   \
    for (int i = 0; i < 3; i++)                                       \
        for (int j = 1; j < 5; j++)                                   \
            (s)->table[i][j] = (s)->table[i][j - 1] + (s)->tail[j];   \
    (s)->tail[11] = (s)->n

LOOM_ACCEL void scale(state *s, int k)
{
    SCALE(s, k);
}

LOOM_ACCEL int of_kept(int k)
{
    int sum = 0;
    for (int i = 0; i < kept.n; i++) {
        kept.im[i] = kept.re[i] + k;
        sum += kept.im[kept.n - 1 - i] + kept.tail[i % 12];
    }
    return sum;
}

// A pointer that goes on from within a field, up to its end.
LOOM_ACCEL int walked(state *s, int from)
{
    int sum = 0;
    for (const int *p = s->re + from, *end = s->re + 24; p != end; p++) {
        s->im[0] += *p;
        sum = 3 * sum + s->im[0];
    }
    return sum;
}

LOOM_ACCEL void copied(state *to, const state *from, int k)
{
    *to = *from;
    for (int i = 0; i < 24; i++)
        to->im[i] += from->re[(i + k) % 24];
}

static void fill(state *s, int seed)
{
    memset(s, 0, sizeof *s);
    s->n = 20 + seed % 4;
    for (int i = 0; i < 24; i++) {
        s->re[i] = i * i - seed;
        s->im[i] = 7 * i + seed;
    }
    for (int i = 0; i < 12; i++) {
        s->tail[i] = seed * i;
        s->halves.low[i % 6] = (short)(i - seed);
    }
    s->bytes[7] = (unsigned char)(91 + seed);
    s->wide[2] = 0.5;
    s->table[1][0] = 4;
}

int main(void)
{
    int wrong = 0;
    for (int seed = 0; seed < 3; seed++) {
        state made, want;
        fill(&made, seed);
        want = made;
        scale(&made, seed - 1);
        state *w = &want;
        SCALE(w, (seed - 1));
        wrong += memcmp(&made, &want, sizeof made) != 0;

        kept = made;
        int sum = 0, got = of_kept(seed);
        for (int i = 0; i < want.n; i++) {
            want.im[i] = want.re[i] + seed;
            sum += want.im[want.n - 1 - i] + want.tail[i % 12];
        }
        wrong += got != sum || memcmp(&kept, &want, sizeof kept) != 0;

        got = walked(&made, 20 + seed);
        sum = 0;
        int first = want.n > 0 ? made.im[0] : 0;
        for (int i = 23; i >= 20 + seed; i--)
            first -= made.re[i];
        for (int i = 20 + seed; i < 24; i++)
            sum = 3 * sum + (first += made.re[i]);
        wrong += got != sum || first != made.im[0];

        copied(&want, &made, seed);
        for (int i = 0; i < 24; i++)
            wrong += want.im[i] != made.im[i] + made.re[(i + seed) % 24];
        wrong += want.tail[11] != made.tail[11];
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
