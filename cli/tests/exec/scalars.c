#include "loom.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int calls;

LOOM_ACCEL static int8_t narrow(int8_t a, uint8_t b, int16_t c, uint16_t d) { return (int8_t)(a - b + c * d); }
LOOM_ACCEL bool either(bool a, bool b, uint32_t n) { return (a != b) == (n > 3); }
LOOM_ACCEL static void count(int by) { calls += by; }
LOOM_ACCEL float blend(float a, float b) { return a * b - a; }
LOOM_ACCEL static void scale(int32_t *a, int n, int by)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * by + i;
}

static int depth(int *a, int n)
{
    if (n == 0)
        return 0;
    scale(a, n, 2);
    return a[n - 1] + depth(a, n - 1);
}

int main(void)
{
    int bad = 0;
    bad += narrow(-3, 200, 7, 300) != (int8_t)(-3 - 200 + 7 * 300);
    bad += either(true, false, 5) != true;
    bad += either(true, true, 5) != false;
    bad += blend(1.5f, 2.5f) != 2.25f;
    int stack[6] = {1, 2, 3, 4, 5, 6}, *heap = malloc(6 * sizeof *heap);
    for (int i = 0; i < 6; i++)
        heap[i] = i + 1;
    int want[6] = {1, 2, 3, 4, 5, 6}, sum = 0;
    for (int n = 6; n; n--) {
        for (int i = 0; i < n; i++)
            want[i] = want[i] * 2 + i;
        sum += want[n - 1];
    }
    bad += depth(stack, 6) != sum;
    bad += depth(heap, 6) != sum;
    for (int i = 0; i < 10; i++) {
        count(i);
        calls++;
    }
    bad += calls != 55;
    printf("%d wrong\n", bad);
    return bad != 0;
}
