// Image: escape times of the Mandelbrot set, single precision.
// The classic of parallel computing. Each pixel has its own trip count, between one and the limit; two conditions end the
// inner loop, and a recurrence of three multiplications sets its interval.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void mandelbrot(uint8_t *restrict out, int width, int height, float left, float top, float step, int limit)
{
    for (int row = 0; row < height; row++) {
        LOOM_INDEPENDENT;
        for (int col = 0; col < width; col++) {
            LOOM_INDEPENDENT;
            const float cr = left + step * (float)col, ci = top + step * (float)row;
            float zr = 0.0f, zi = 0.0f;
            int n = 0;
            while (n < limit && zr * zr + zi * zi <= 4.0f) {
                LOOM_TRIP(1, 255);
                const float next = zr * zr - zi * zi + cr;
                zi = 2.0f * zr * zi + ci;
                zr = next;
                n++;
            }
            out[row * width + col] = (uint8_t)n;
        }
    }
}

#define SIZE 24

int main(void)
{
    static uint8_t out[SIZE * SIZE + 1];
    int bad = 0;
    // All coordinates are multiples of 1/8, so that two ways of drawing the axis agree.
    mandelbrot(out, SIZE, SIZE, -2.0f, -1.5f, 0.125f, 60);
    for (int row = 0; row < SIZE; row++)
        for (int col = 0; col < SIZE; col++) {
            const double cr = -2.0 + 0.125 * col, ci = -1.5 + 0.125 * row, x = cr - 0.25;
            const double q = x * x + ci * ci;
            const int n = out[row * SIZE + col];
            // Inside of the cardioid or of the disc to its left nothing escapes.
            if (q * (q + x) < 0.25 * ci * ci - 1e-6 || (cr + 1.0) * (cr + 1.0) + ci * ci < 0.0625 - 1e-6)
                bad += n != 60;
            // Farther than 2 from the origin, the first value is outside already.
            if (cr * cr + ci * ci > 4.0)
                bad += n != 1;
            // The set is its own mirror image.
            if (row > 0)
                bad += n != out[(SIZE - row) * SIZE + col];
            // What stays small for one step escapes at the second or later.
            if (cr * cr + ci * ci <= 4.0)
                bad += n < 2;
        }
    // On the real axis the orbits are known: 1/4 stays; 1 gives 0, 1, 2, 5; 1/2 gives 0, 1/2, 3/4, 17/16, 417/256, 3.15.
    mandelbrot(out, 1, 1, 0.25f, 0.0f, 1.0f, 200);
    bad += out[0] != 200;
    mandelbrot(out, 1, 1, 1.0f, 0.0f, 1.0f, 200);
    bad += out[0] != 3;
    mandelbrot(out, 1, 1, 0.5f, 0.0f, 1.0f, 200);
    bad += out[0] != 5;
    out[0] = 77;
    mandelbrot(out, 0, 5, 0.0f, 0.0f, 1.0f, 9);
    bad += out[0] != 77;
    mandelbrot(out, 1, 1, 0.5f, 0.0f, 1.0f, 0);
    bad += out[0] != 0;
    printf("mandelbrot: 6 images, %d pixels wrong\n", bad);
    return bad != 0;
}
