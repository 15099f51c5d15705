// Fixed point: PID controller with clamped output and anti-windup, in 16.16, run against a recorded reference and a plant.
// Every motor drive. A feedback loop of 64-bit products and shifts with saturation: each step waits for the whole of the
// one before.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int32_t q16;

typedef struct {
    q16 kp, ki, kd;
    q16 low, high;
    q16 integral, last;
} pid;

static inline q16 mul(q16 a, q16 b)
{
    return (q16)(((int64_t)a * b + 0x8000) >> 16);
}

static inline q16 limit(int64_t v, q16 low, q16 high)
{
    if (v < low)
        return low;
    if (v > high)
        return high;
    return (q16)v;
}

LOOM_ACCEL void pid_controller(pid *c, const q16 *restrict target, q16 *restrict measured, q16 *restrict drive, int n, q16 y)
{
    for (int i = 0; i < n; i++) {
        const q16 error = target[i] - y;
        const q16 integral = limit((int64_t)c->integral + mul(c->ki, error), c->low, c->high);
        const int64_t sum = (int64_t)mul(c->kp, error) + integral + mul(c->kd, error - c->last);
        const q16 out = limit(sum, c->low, c->high);
        // The integral stands still while the output is at its stop.
        if (out == sum)
            c->integral = integral;
        c->last = error;
        y += mul(out - y, 0x1000);
        drive[i] = out;
        measured[i] = y;
    }
}

#define ONE 65536
#define N 1500

int main(void)
{
    static q16 target[N], measured[N], drive[N];
    static const int pieces[] = {0, 1, 499, 500, 500};
    pid c = {3 * ONE, ONE / 20, ONE / 2, -10 * ONE, 10 * ONE, 0, 0};
    int bad = 0, calls = 0, done = 0, stops = 0;
    for (int i = 0; i < N; i++)
        target[i] = i < 500 ? 4 * ONE : i < 1000 ? -2 * ONE : 20 * ONE;
    for (; calls < 5; calls++) {
        pid_controller(&c, target + done, measured + done, drive + done, pieces[calls], done ? measured[done - 1] : 0);
        done += pieces[calls];
    }
    // It settles where it shall, or at the stop for what cannot be reached, and does not overshoot by much.
    for (int k = 0; k < 2; k++)
        for (int i = 500 * k + 450; i < 500 * k + 500; i++)
            bad += abs(measured[i] - target[i]) > ONE / 50;
    bad += abs(measured[N - 1] - 10 * ONE) > ONE / 50 || drive[N - 1] != 10 * ONE;
    for (int i = 0; i < N; i++) {
        bad += drive[i] < -10 * ONE || drive[i] > 10 * ONE;
        stops += drive[i] == 10 * ONE || drive[i] == -10 * ONE;
        bad += i < 500 && measured[i] > 5 * ONE;
    }
    // Each part alone, on errors of 1, 3 and 2 each from a plant at rest.
    static const q16 errors[3] = {ONE, 3 * ONE, 2 * ONE}, want[3][3] = {
        {2 * ONE, 6 * ONE, 4 * ONE}, {ONE / 2, 2 * ONE, 3 * ONE}, {ONE, 2 * ONE, -ONE}};
    for (int part = 0; part < 3; part++) {
        pid one = {part == 0 ? 2 * ONE : 0, part == 1 ? ONE / 2 : 0, part == 2 ? ONE : 0, -10 * ONE, 10 * ONE, 0, 0};
        for (int i = 0; i < 3; i++) {
            q16 after, out;
            pid_controller(&one, &errors[i], &after, &out, 1, 0);
            bad += out != want[part][i] || after != out / 16;
        }
    }
    // The plant by its closed form over a stretch of constant drive: y = u + (y0 - u) (15/16)^k.
    double y = measured[N - 21];
    for (int k = 0; k < 20; k++)
        y = 10.0 * ONE + (y - 10.0 * ONE) * 0.9375;
    bad += abs((int)y - measured[N - 1]) > 20;
    bad += drive[0] != 10 * ONE || stops < 500;
    printf("pid_controller: %d steps, %d at a stop, %d wrong\n", done, stops, bad);
    return bad != 0;
}
