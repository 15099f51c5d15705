// Structs whose fields differ in width: each width is a memory of its own. With an argument an index leaves its array.
#include "loom.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    int key;
    float weight;
    double value;
    char name[13];
    unsigned char flag;
    short step;
} record;

typedef struct {
    unsigned hash[4];
    unsigned char buffer[16];
    unsigned long long length;
} state;

static int visit(record *r, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (r[i].flag) {
            r[i].key += i;
            r[i].flag = 0;
            sum += r[i].step;
        } else {
            r[i].weight *= 2.0f;
        }
        for (int j = 0; j < 13; j++)
            sum += r[i].name[j];
    }
    return sum;
}

static void turn(record *restrict to, const record *restrict from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[n - 1 - i];
        to[i].key ^= 5;
    }
}

static void feed(state *s, const unsigned char *text, int n)
{
    for (int i = 0; i < n; i++) {
        s->buffer[s->length & 15] = text[i];
        if ((++s->length & 15) == 0)
            for (int k = 0; k < 16; k++)
                s->hash[k & 3] = s->hash[k & 3] * 31 + s->buffer[k];
    }
}

static int local(int n)
{
    struct {
        short a;
        int b;
        unsigned char c;
    } t[8];
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        t[i].a = (short)(i * n);
        t[i].b = i * i * 1000;
        t[i].c = (unsigned char)n;
    }
    for (int i = 0; i < n; i++) {
        const int k = i * 3 & 7;
        t[k].b += t[(k + 1) & 7].a;
        sum += t[k].b + t[k].c;
    }
    return sum;
}

// Two pointers to fields of one array, and one past its end.
static int between(const record *first, const record *last)
{
    const int *at = &first->key;
    int sum = (int)(last - first);
    for (; first != last; first++)
        sum += first->step + (&first->key != at);
    return sum;
}

LOOM_ACCEL int visit_(record *r, int n) { return visit(r, n); }
LOOM_ACCEL void turn_(record *restrict to, const record *restrict from, int n) { turn(to, from, n); }
LOOM_ACCEL void feed_(state *s, const unsigned char *text, int n) { feed(s, text, n); }
LOOM_ACCEL int local_(int n) { return local(n); }
LOOM_ACCEL int between_(const record *first, const record *last) { return between(first, last); }

// The step is behind the flag, which is behind the name.
LOOM_ACCEL int beyond(record *r, int n)
{
    for (int i = 0; i < n; i++)
        r->name[i] = 7;
    return r->step;
}

int main(int argc, char **argv)
{
    static record a[10], b[10], c[10], d[10];
    static state s = {{1, 2, 3, 4}, {0}, 0}, t = {{1, 2, 3, 4}, {0}, 0};
    unsigned char text[100];
    int wrong = 0;
    (void)argv;
    if (argc > 1)
        return beyond(a, 15);
    for (int i = 0; i < 10; i++) {
        a[i] = (record){3 * i, (float)i, i * 0.5, "", (unsigned char)(i % 3), (short)-i};
        for (int j = 0; j < 13; j++)
            a[i].name[j] = (char)(i + j);
    }
    for (int i = 0; i < 100; i++)
        text[i] = (unsigned char)(7 * i);
    memcpy(b, a, sizeof a);
    wrong += visit_(a, 10) != visit(b, 10);
    turn_(c, a, 10);
    turn(d, b, 10);
    feed_(&s, text, 100);
    feed(&t, text, 100);
    wrong += memcmp(a, b, sizeof a) != 0;
    for (int i = 0; i < 10; i++)
        wrong += c[i].key != d[i].key || c[i].weight != d[i].weight || c[i].value != d[i].value ||
                 memcmp(c[i].name, d[i].name, 13) != 0 || c[i].flag != d[i].flag || c[i].step != d[i].step;
    wrong += memcmp(&s, &t, sizeof s) != 0;
    wrong += local_(20) != local(20);
    wrong += between_(a + 2, a + 9) != between(a + 2, a + 9);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
