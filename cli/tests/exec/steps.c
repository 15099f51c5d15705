/* More loops than one that count by something else than sums, or downwards: no fabric has streams for all of them. */
#include "loom.h"
#include <stdio.h>

/* Words to bytes, the highest first, from two arrays. */
LOOM_ACCEL void spread(const unsigned *restrict a, const unsigned *restrict b, unsigned char *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        for (int s = 24; s >= 0; s -= 8) *out++ = (unsigned char)(a[i] >> s);
        for (int s = 28; s > 0; s -= 12) *out++ = (unsigned char)(b[i] >> s);
    }
}

/* Powers of two and of three below a number, and how often it can be halved. */
LOOM_ACCEL int powers(int n)
{
    int sum = 0;
    for (int k = 1; k < n; k *= 2) sum += k;
    for (int k = 1; k < n; k *= 3) sum += 2 * k;
    for (unsigned k = (unsigned)n; k != 0; k >>= 1) sum += 1000;
    return sum;
}

int main(void)
{
    int wrong = 0;
    for (int n = 0; n < 6; n++) {
        unsigned a[5], b[5];
        unsigned char out[5 * 7 + 1] = {0};
        for (int i = 0; i < 5; i++) a[i] = 0x01020304u * (unsigned)(i + n), b[i] = 0x9abcdef1u ^ (unsigned)(i << n);
        spread(a, b, out, n < 5 ? n : 5);
        const unsigned char *p = out;
        for (int i = 0; i < n && i < 5; i++) {
            for (int k = 3; k >= 0; k--) wrong += *p++ != (unsigned char)(a[i] >> (8 * k));
            for (int s = 28; s > 0; s -= 12) wrong += *p++ != (unsigned char)(b[i] >> s);
        }
        wrong += *p != 0;
        int m = n * n * n - 1, sum = 0;
        for (int k = 1; k < m; k <<= 1) sum += k;
        for (int k = 1; k < m; k += 2 * k) sum += k + k;
        for (unsigned k = (unsigned)m; k; k /= 2) sum += 1000;
        wrong += powers(m) != sum;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
