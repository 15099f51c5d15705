// Local arrays that no scratchpad takes: one that is too large for all of them, and one with more accesses than lanes.
#include "loom.h"

#include <stdio.h>

#define PLACES 5000

// The largest scratchpad of general-4x4 has 8 KiB.
LOOM_ACCEL int distinct(const int *restrict in, int n)
{
    int seen[PLACES], found = 0;
    for (int i = 0; i < PLACES; i++)
        seen[i] = 0;
    for (int i = 0; i < n; i++) {
        found += seen[in[i]] == 0;
        seen[in[i]]++;
    }
    return found;
}

// Five stores to one array and one to another; the scratchpads have four store lanes.
static int mixed_of(const int *in, int n)
{
    int table[16], last[4];
    for (int i = 0; i < 16; i++)
        table[i] = i;
    for (int i = 0; i < 4; i++)
        last[i] = 0;
    for (int i = 0; i < n; i++) {
        int at = in[i] & 15;
        table[at ^ 3] = table[at] + i;
        table[at ^ 5] ^= table[at ^ 3];
        table[at ^ 7] -= at;
        last[i & 3] = table[at ^ 9];
        table[at] = last[(i + 1) & 3];
    }
    return table[3] + table[12] + last[2];
}

LOOM_ACCEL int mixed(const int *restrict in, int n) { return mixed_of(in, n); }

// What is promised of iterations is about arguments: an array of the body, which none of them shares with another, is one in
// the process, and so is one that they do share.
LOOM_ACCEL int apart(const int *restrict in, int *restrict out, int n)
{
    int count[PLACES], most = 0;
    for (int i = 0; i < 40; i++)
        count[i] = 0;
    for (int i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        int row[PLACES], sum = 0;
        for (int k = 0; k < 12; k++)
            row[k * 50] = in[i + k];
        for (int k = 0; k < 12; k++)
            sum = sum * 3 + row[(11 - k) * 50];
        out[i] = sum;
        count[in[i] % 3] += 1;
    }
    for (int i = 0; i < 3; i++)
        most = most > count[i] ? most : count[i];
    return most;
}

static int apart_here(const int *in, int *out, int n)
{
    int count[3] = {0}, most = 0;
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int k = 11; k >= 0; k--)
            out[i] = out[i] * 3 + in[i + k];
        most += (++count[in[i] % 3] > most);
    }
    return most;
}

static int distinct_here(const int *in, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (in[j] != in[i])
            j++;
        found += j == i;
    }
    return found;
}

int main(void)
{
    int in[200], wrong = 0;
    for (int i = 0; i < 200; i++)
        in[i] = i * i * 7 % 4999;
    for (int n = 0; n <= 200; n += 40) {
        wrong += distinct(in, n) != distinct_here(in, n);
        wrong += mixed(in, n) != mixed_of(in, n);
    }
    for (int n = 0; n <= 180; n += 60) {
        int out[180], expected[180];
        wrong += apart(in, out, n) != apart_here(in, expected, n);
        for (int i = 0; i < n; i++)
            wrong += out[i] != expected[i];
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
