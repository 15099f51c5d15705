// Strings: signed 64-bit numbers as decimal text, one to a line.
// Every printf. Division by ten with a remainder until nothing is left, digits come in the wrong order and go through a
// local array, and the place of each line depends on the lengths of those before.
#include "loom.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

LOOM_ACCEL int format_ints(const int64_t *values, int n, char *out)
{
    char *at = out;
    for (int i = 0; i < n; i++) {
        char digits[20];
        int count = 0;
        uint64_t left = values[i] < 0 ? 0u - (uint64_t)values[i] : (uint64_t)values[i];
        do {
            LOOM_TRIP(1, 20);
            digits[count++] = (char)('0' + left % 10);
            left /= 10;
        } while (left != 0);
        if (values[i] < 0)
            *at++ = '-';
        while (count > 0)
            *at++ = digits[--count];
        *at++ = '\n';
    }
    return (int)(at - out);
}

#define N 200

int main(void)
{
    static const int sizes[] = {N, 0, 1, 50};
    static int64_t values[N];
    static char out[N * 22], want[N * 22];
    uint64_t state = 3;
    int bad = 0, calls = 0, total = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        int length = 0;
        for (int i = 0; i < sizes[calls]; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            values[i] = (int64_t)state >> (state >> 20 & 63);
            if (i < 4)
                values[i] = i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : 3 - i;
            length += sprintf(want + length, "%" PRId64 "\n", values[i]);
        }
        const int made = format_ints(values, sizes[calls], out);
        bad += made != length || memcmp(out, want, (size_t)length) != 0;
        total += made;
    }
    printf("format_ints: %d lists, %d characters, %d wrong\n", calls, total, bad);
    return bad != 0 || total == 0;
}
