// Simulation: random walk of a price and the mean payoff of an option, with a generator of the kernel's own.
// Boyle 1977. The generator's state is one recurrence, the price of each path another; a conditional payoff is summed over
// all paths, and an early exit leaves a path at a barrier.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct market {
    float start, up, down;
    float strike, barrier;
};

// Up and down steps with equal chance; the state goes on to the next call. Returns the sum of payoffs.
LOOM_ACCEL double monte_carlo(const struct market *m, int paths, int steps, uint64_t *state, int *knocked_out)
{
    uint64_t s = *state;
    double sum = 0.0;
    int out = 0;
    for (int p = 0; p < paths; p++) {
        float price = m->start;
        int t;
        for (t = 0; t < steps; t++) {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            price *= s >> 63 ? m->up : m->down;
            if (price >= m->barrier)
                break;
        }
        if (t < steps)
            out++;
        else if (price > m->strike)
            sum += (double)(price - m->strike);
    }
    *state = s;
    *knocked_out = out;
    return sum;
}

// The exact mean, by the number of paths that lead to each price without touching the barrier.
static double exact(const struct market *m, int steps, double *out)
{
    double now[64] = {1.0}, next[64], mean = 0.0;
    *out = 0.0;
    for (int t = 1; t <= steps; t++) {
        for (int ups = 0; ups <= t; ups++) {
            next[ups] = 0.5 * ((ups > 0 ? now[ups - 1] : 0.0) + (ups < t ? now[ups] : 0.0));
            if (m->start * pow(m->up, ups) * pow(m->down, t - ups) >= m->barrier * (1.0 - 1e-5)) {
                *out += next[ups];
                next[ups] = 0.0;
            }
        }
        for (int ups = 0; ups <= t; ups++)
            now[ups] = next[ups];
    }
    for (int ups = 0; ups <= steps; ups++)
        mean += now[ups] * fmax(0.0, m->start * pow(m->up, ups) * pow(m->down, steps - ups) - m->strike);
    return mean;
}

int main(void)
{
    const struct market m = {100.0f, 1.04f, 0.96f, 98.0f, 125.0f};
    static const int sizes[][2] = {{0, 12}, {1, 0}, {700, 12}, {500, 20}};
    uint64_t state = 88172645463325252u;
    int bad = 0, calls = 0;
    for (; calls < 4; calls++) {
        const int paths = sizes[calls][0], steps = sizes[calls][1];
        int out = -1;
        double share;
        const double sum = monte_carlo(&m, paths, steps, &state, &out), mean = exact(&m, steps, &share);
        // Within five standard deviations; payoffs lie between 0 and 27.
        const double wide = 5.0 * 9.0 * sqrt((double)paths) + 1e-3;
        bad += !(fabs(sum - mean * paths) < wide) || out < 0;
        bad += !(fabs(out - share * paths) < 5.0 * 0.5 * sqrt((double)paths) + 1e-9);
        bad += calls == 1 && sum != 2.0;
        bad += calls >= 2 && (sum <= 0.0 || out == 0);
    }
    // The state after so many steps is the generator's, run alone; one step for each that no barrier cut off.
    uint64_t s = 5, t = 5;
    int out = 0;
    const struct market high = {100.0f, 1.01f, 0.99f, 100.0f, 1e9f};
    monte_carlo(&high, 10, 30, &s, &out);
    for (int i = 0; i < 300; i++) {
        t ^= t << 13;
        t ^= t >> 7;
        t ^= t << 17;
    }
    bad += s != t || out != 0;
    printf("monte_carlo: %d calls, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
