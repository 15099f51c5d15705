// Structs passed by value, as C passes them: in numbers of up to 64 bits, whatever is in them. In memory they are their fields all the
// same, also where the same structs are looked at field by field, have padding, or are cleared as bytes.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 20

typedef struct { uint32_t due; uint16_t id, again; } timer;
typedef struct { uint32_t key; uint8_t flag; } marked;
typedef struct { int16_t x, y, z; } point;
typedef struct { int32_t id; float weight; } weighted;
typedef struct { int64_t sum; int16_t count; uint8_t tag[3]; } total;
typedef struct { uint16_t at; uint8_t pad; int32_t wide; uint8_t end; } uneven;
typedef struct { uint64_t bits; } single;

static int before(timer a, timer b) { return a.due < b.due || (a.due == b.due && a.id < b.id); }

static int32_t push(timer *heap, int32_t n, timer t)
{
    int32_t i = n;
    while (i > 0 && before(t, heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = t;
    return n + 1;
}

static int32_t pop(timer *heap, int32_t n, timer *out)
{
    *out = heap[0];
    timer last = heap[--n];
    int32_t i = 0;
    for (;;) {
        int32_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return n;
}

// A queue of timers, each of which rings once more.
LOOM_ACCEL int32_t ring(const uint32_t *due, int32_t n, timer *heap, uint32_t *out)
{
    int32_t size = 0, rung = 0;
    for (int32_t i = 0; i < n; i++) {
        timer t = {due[i], (uint16_t)i, 1};
        size = push(heap, size, t);
    }
    while (size > 0) {
        timer t;
        size = pop(heap, size, &t);
        out[rung++] = t.due * 64 + t.id;
        if (t.again) {
            t.again--;
            t.due += 7;
            size = push(heap, size, t);
        }
    }
    return rung;
}

static marked later(marked a, marked b) { return a.flag && a.key > b.key ? a : b; }
static point middle(point a, point b)
{
    point m = {(int16_t)((a.x + b.x) / 2), (int16_t)((a.y + b.y) / 2), (int16_t)((a.z + b.z) / 2)};
    return m;
}
static weighted heavier(weighted a, weighted b) { return a.weight < b.weight ? b : a; }
static total both(total a, total b)
{
    total t = {a.sum + b.sum, (int16_t)(a.count + b.count), {a.tag[1], b.tag[2], a.tag[0]}};
    return t;
}
static uneven swapped(uneven a, uneven b)
{
    uneven u = {b.at, a.end, a.wide - b.wide, a.pad};
    return u;
}
static single mixed(single a, single b) { single s = {a.bits * 3 ^ b.bits >> 7}; return s; }

static inline void all(marked *m, point *p, weighted *w, total *t, uneven *u, single *s, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        m[i] = later(m[i - 1], m[i]);
        p[i] = middle(p[i - 1], p[i]);
        w[i] = heavier(w[i - 1], w[i]);
        t[i] = both(t[i - 1], t[i]);
        u[i] = swapped(u[i - 1], u[i]);
        s[i] = mixed(s[i - 1], s[i]);
        if (m[i].key & 1)
            memset(&p[i], 255, sizeof p[i]);
    }
}

// What the host does when it calls `all` itself.
LOOM_ACCEL void fold(marked *m, point *p, weighted *w, total *t, uneven *u, single *s, int32_t n)
{
    all(m, p, w, t, u, s, n);
}

int main(void)
{
    int bad = 0;
    for (int n = 0; n <= N; n += 5) {
        uint32_t due[N], out[2 * N];
        timer heap[2 * N];
        for (int i = 0; i < n; i++)
            due[i] = (uint32_t)(i * 37 % 11);
        bad += ring(due, n, heap, out) != 2 * n;
        for (int i = 1; i < 2 * n; i++)
            bad += out[i - 1] > out[i];

        marked m[2][N];
        point p[2][N];
        weighted w[2][N];
        total t[2][N];
        uneven u[2][N];
        single s[2][N];
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < N; i++) {
                m[k][i] = (marked){(uint32_t)(i * 2654435761u), (uint8_t)(i & 2)};
                p[k][i] = (point){(int16_t)(i * 911), (int16_t)-i, (int16_t)(n * i)};
                w[k][i] = (weighted){i, (float)(i * 7 % 5) - 1.5f};
                t[k][i] = (total){(int64_t)i << 33, (int16_t)i, {(uint8_t)i, 2, 3}};
                u[k][i] = (uneven){(uint16_t)(i * 77), (uint8_t)i, i * i - n, (uint8_t)~i};
                s[k][i] = (single){(uint64_t)i * 0x9e3779b97f4a7c15u};
            }
        fold(m[0], p[0], w[0], t[0], u[0], s[0], n);
        all(m[1], p[1], w[1], t[1], u[1], s[1], n);
        for (int i = 0; i < N; i++) {
            bad += m[0][i].key != m[1][i].key || m[0][i].flag != m[1][i].flag;
            bad += memcmp(&p[0][i], &p[1][i], sizeof(point)) || memcmp(&w[0][i], &w[1][i], sizeof(weighted));
            bad += t[0][i].sum != t[1][i].sum || t[0][i].count != t[1][i].count || memcmp(t[0][i].tag, t[1][i].tag, 3);
            bad += u[0][i].at != u[1][i].at || u[0][i].pad != u[1][i].pad || u[0][i].wide != u[1][i].wide ||
                   u[0][i].end != u[1][i].end;
            bad += s[0][i].bits != s[1][i].bits;
        }
    }
    printf("%d wrong\n", bad);
    return bad;
}
