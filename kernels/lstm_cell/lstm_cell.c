// Machine learning: a sequence through one LSTM cell, single precision.
// Hochreiter and Schmidhuber 1997. Four gates of a matrix-vector product each, sigmoid and tanh from the library, and
// states that each time step needs from the one before.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define HIDDEN 6
#define INPUTS 4

struct lstm {
    float weight[4 * HIDDEN][INPUTS + HIDDEN];
    float bias[4 * HIDDEN];
    float hidden[HIDDEN];
    float cell[HIDDEN];
};

static inline float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

LOOM_ACCEL void lstm_cell(struct lstm *m, const float *x, int steps)
{
    float gate[4 * HIDDEN];
    for (int t = 0; t < steps; t++, x += INPUTS) {
        for (int g = 0; g < 4 * HIDDEN; g++) {
            LOOM_INDEPENDENT;
            float sum = m->bias[g];
            for (int i = 0; i < INPUTS; i++)
                sum += m->weight[g][i] * x[i];
            for (int i = 0; i < HIDDEN; i++)
                sum += m->weight[g][INPUTS + i] * m->hidden[i];
            gate[g] = sum;
        }
        for (int i = 0; i < HIDDEN; i++) {
            LOOM_INDEPENDENT;
            const float in = sigmoid(gate[i]), forget = sigmoid(gate[HIDDEN + i]);
            const float update = tanhf(gate[2 * HIDDEN + i]), out = sigmoid(gate[3 * HIDDEN + i]);
            m->cell[i] = forget * m->cell[i] + in * update;
            m->hidden[i] = out * tanhf(m->cell[i]);
        }
    }
}

#define STEPS 30

int main(void)
{
    static const int pieces[] = {10, 0, 1, STEPS - 11};
    static struct lstm m;
    static float x[STEPS][INPUTS];
    double hidden[HIDDEN] = {0.0}, cell[HIDDEN] = {0.0};
    uint32_t state = 52;
    int bad = 0, calls = 0, done = 0;
    for (int g = 0; g < 4 * HIDDEN; g++) {
        m.bias[g] = (float)(g % 7) * 0.1f - 0.3f;
        for (int i = 0; i < INPUTS + HIDDEN; i++) {
            state = state * 1664525u + 1013904223u;
            m.weight[g][i] = (float)(state >> 24) / 256.0f - 0.5f;
        }
    }
    for (int i = 0; i < STEPS * INPUTS; i++)
        x[i / INPUTS][i % INPUTS] = (float)(i * 5 % 17) / 8.0f - 1.0f;
    for (; calls < 4; calls++) {
        lstm_cell(&m, x[done < STEPS ? done : 0], pieces[calls]);
        done += pieces[calls];
    }
    for (int t = 0; t < STEPS; t++) {
        double next[HIDDEN];
        for (int i = 0; i < HIDDEN; i++) {
            double a[4];
            for (int g = 0; g < 4; g++) {
                a[g] = m.bias[g * HIDDEN + i];
                for (int j = INPUTS + HIDDEN - 1; j >= 0; j--)
                    a[g] += m.weight[g * HIDDEN + i][j] * (j < INPUTS ? (double)x[t][j] : hidden[j - INPUTS]);
            }
            // The logistic function is a hyperbolic tangent of half the argument.
            cell[i] *= 0.5 + 0.5 * tanh(a[1] / 2);
            cell[i] += (0.5 + 0.5 * tanh(a[0] / 2)) * (1.0 - 2.0 / (exp(2.0 * a[2]) + 1.0));
            next[i] = (0.5 + 0.5 * tanh(a[3] / 2)) * (1.0 - 2.0 / (exp(2.0 * cell[i]) + 1.0));
        }
        for (int i = 0; i < HIDDEN; i++)
            hidden[i] = next[i];
    }
    bad += done != STEPS;
    for (int i = 0; i < HIDDEN; i++)
        bad += !(fabs(hidden[i] - m.hidden[i]) < 1e-4 && fabs(cell[i] - m.cell[i]) < 1e-4);
    bad += m.hidden[0] == 0.0f;
    printf("lstm_cell: %d calls, %d steps, %d wrong\n", calls, done, bad);
    return bad != 0;
}
