// The address of what a row gives is known 70000 iterations before its sum is: a store waits for its data as long as that takes.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define N 70000

LOOM_ACCEL void rows(const int8_t *restrict a, int32_t *restrict out, int32_t rows, int32_t n)
{
    for (int32_t r = 0; r < rows; r++) {
        int32_t sum = 0;
        for (int32_t i = 0; i < n; i++)
            sum += a[i] ^ r;
        out[r] = sum;
    }
}

int main(void)
{
    static int8_t a[N];
    int32_t out[3], bad = 0;
    for (int i = 0; i < N; i++)
        a[i] = (int8_t)(i * 37);
    out[2] = 1234;
    rows(a, out, 2, N);
    for (int r = 0; r < 2; r++) {
        int32_t sum = 0;
        for (int i = 0; i < N; i++)
            sum += a[i] ^ r;
        bad += out[r] != sum;
    }
    printf("%d rows of %d wrong\n", bad + (out[2] != 1234), 2);
    return bad;
}
