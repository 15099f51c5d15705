// Compression: run-length encoding of bytes in the manner of PackBits, runs and literals.
// Fax machines and TIFF. Two kinds of inner loop look ahead, the output pointer advances by data, and a header byte is
// written after what it counts.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

LOOM_ACCEL int run_length(const uint8_t *in, int n, uint8_t *out)
{
    uint8_t *to = out;
    int i = 0;
    while (i < n) {
        int run = 1;
        while (i + run < n && run < 128 && in[i + run] == in[i])
            run++;
        if (run > 1) {
            *to++ = (uint8_t)(257 - run);
            *to++ = in[i];
            i += run;
            continue;
        }
        uint8_t *head = to++;
        int count = 0;
        do {
            *to++ = in[i++];
            count++;
        } while (i < n && count < 128 && !(i + 1 < n && in[i] == in[i + 1]));
        *head = (uint8_t)(count - 1);
    }
    return (int)(to - out);
}

// Decodes; -1 for nonsense.
static int decode(const uint8_t *in, int n, uint8_t *out)
{
    int made = 0;
    for (int i = 0; i < n;) {
        const int head = (int8_t)in[i++];
        if (head == -128 || i == n)
            return -1;
        const int length = head < 0 ? 1 - head : head + 1;
        for (int k = 0; k < length; k++)
            out[made++] = in[head < 0 ? i : i + k];
        i += head < 0 ? 1 : length;
    }
    return made;
}

#define N 2000

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 3, 300, 129};
    static uint8_t in[N], out[2 * N], back[2 * N];
    uint32_t state = 16;
    int bad = 0, calls = 0, packed = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = calls >= 5 ? (uint8_t)(calls == 5 ? 7 : i * 3) : i > 0 && state >> 30 ? in[i - 1] : (uint8_t)(state >> 22);
        }
        const int length = run_length(in, n, out);
        bad += decode(out, length, back) != n || memcmp(in, back, (size_t)n) != 0;
        // Never much longer than the input; 300 equal ones are three runs, 129 different ones two literals.
        bad += length > n + (n + 127) / 128;
        bad += (calls == 5 && length != 6) || (calls == 6 && length != 131);
        packed += length;
    }
    printf("run_length: %d texts, %d bytes, %d wrong\n", calls, packed, bad);
    return bad != 0;
}
