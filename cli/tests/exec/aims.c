// Two functions of which one has more copies than a small fabric has lanes: it is compiled for room, the other for speed.
#include <loom.h>

LOOM_ACCEL int wide(const int *a, int n)
{
    int sum = 0;
#pragma unroll 32
    for (int i = 0; i < n; i++)
        sum += a[i] * i;
    return sum;
}

LOOM_ACCEL int narrow(const int *a, int n)
{
    int most = 0;
#pragma unroll 2
    for (int i = 0; i < n; i++)
        most = a[i] > most ? a[i] : most;
    return most;
}

int main(void)
{
    int a[100], sum = 0;
    for (int i = 0; i < 100; i++) {
        a[i] = i * 37 % 101;
        sum += a[i] * i;
    }
    return wide(a, 100) != sum || narrow(a, 100) != 100 || wide(a, 0) != 0 || narrow(a, 1) != 0;
}
