// Addresses that 32 bits do not hold: each call ends the run, and none touches another place.
#include "loom.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

LOOM_ACCEL int get(const unsigned char *p, size_t i) { return p[i]; }

LOOM_ACCEL int word(const unsigned *p, size_t i) { return (int)p[i]; }

LOOM_ACCEL void set(unsigned char *p, size_t i) { p[i] = 99; }

LOOM_ACCEL int rows(const unsigned char *p, size_t row, size_t width) { return p[row * width]; }

LOOM_ACCEL int walked(const unsigned char *p, int steps)
{
    int sum = 0;
    for (int k = 0; k <= steps; k++, p += 1 << 30)
        sum += *p;
    return sum;
}

int main(int argc, char **argv)
{
    const size_t giga = (size_t)1 << 30;
    unsigned char *p = mmap(0, 9 * giga, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return 2;
    p[3 * giga] = 3;
    int near = get(p, 3 * giga) + word((unsigned *)p, 3 * giga / 4) + rows(p, 3 << 10, 1 << 20) + walked(p, 3);
    set(p, giga);
    printf("%d %d\n", near, p[giga]);
    fflush(stdout);
    switch (argc > 1 ? argv[1][0] : 0) {
    case 'g':
        return get(p, 5 * giga);
    case 'n':
        return get(p + 4, (size_t)-4);
    case 'w':
        return word((unsigned *)p, 4 * giga + 1);
    case 's':
        set(p, 6 * giga);
        return 0;
    case 'r':
        return rows(p, 5 << 10, 1 << 20);
    case 'p':
        return walked(p, 7);
    }
    return 0;
}
