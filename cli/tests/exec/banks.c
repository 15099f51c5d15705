// A window on chip in four banks: four words are loaded at once.
#include "loom.h"

#include <stdio.h>

LOOM_ACCEL int spread(const int *restrict in, int *restrict out, int rounds)
{
    int window[64], sum = 0;
    LOOM_BANKS(window, 4);
    for (int i = 0; i < 64; i++) {
        LOOM_UNROLL(4);
        window[i] = in[i];
    }
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < 60; i += 4)
            sum += (window[i] ^ r) + (window[i + 1] ^ r) + ((window[i + 2] ^ r) + (window[i + 3] ^ r));
        window[4 * (r & 15) + 1] += r;
    }
    for (int i = 0; i < 64; i += 4)
        out[i / 4] = window[i] + window[i + 3];
    return sum;
}

// Which bank is not known.
LOOM_ACCEL int chosen(const int *restrict in, int n)
{
    int table[16];
    LOOM_BANKS(table, 4);
    LOOM_BANKS(in, 4);
    for (int i = 0; i < 16; i++)
        table[i] = in[i];
    return table[n & 15];
}

int main(void)
{
    int in[64], out[16], window[64], sum = 0, wrong = 0;
    for (int i = 0; i < 64; i++)
        window[i] = in[i] = i * i - 100;
    for (int r = 0; r < 20; r++) {
        for (int i = 0; i < 60; i++)
            sum += window[i] ^ r;
        window[4 * (r & 15) + 1] += r;
    }
    wrong += spread(in, out, 20) != sum;
    for (int i = 0; i < 16; i++)
        wrong += out[i] != window[4 * i] + window[4 * i + 3];
    wrong += chosen(in, 7) != in[7];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
