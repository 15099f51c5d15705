// Simulation: gravity between a few bodies, symplectic steps, double precision.
// The benchmarks game's n-body. A triangular loop over pairs that changes both bodies of each, an array of structures of
// seven fields, square root and division.
#include "loom.h"

#include <math.h>
#include <stdio.h>

struct body {
    double x, y, z;
    double vx, vy, vz;
    double mass;
};

LOOM_ACCEL void advance(struct body *b, int n, double dt, int steps)
{
    while (steps-- > 0) {
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                const double dx = b[i].x - b[j].x, dy = b[i].y - b[j].y, dz = b[i].z - b[j].z;
                const double square = dx * dx + dy * dy + dz * dz;
                const double force = dt / (square * sqrt(square));
                b[i].vx -= dx * b[j].mass * force;
                b[i].vy -= dy * b[j].mass * force;
                b[i].vz -= dz * b[j].mass * force;
                b[j].vx += dx * b[i].mass * force;
                b[j].vy += dy * b[i].mass * force;
                b[j].vz += dz * b[i].mass * force;
            }
        }
        for (int i = 0; i < n; i++) {
            LOOM_INDEPENDENT;
            b[i].x += dt * b[i].vx;
            b[i].y += dt * b[i].vy;
            b[i].z += dt * b[i].vz;
        }
    }
}

struct sums {
    double energy, px, py, pz, lz;
};

static struct sums invariants(const struct body *b, int n)
{
    struct sums s = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++) {
        s.px += b[i].mass * b[i].vx;
        s.py += b[i].mass * b[i].vy;
        s.pz += b[i].mass * b[i].vz;
        s.lz += b[i].mass * (b[i].x * b[i].vy - b[i].y * b[i].vx);
        s.energy += 0.5 * b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz);
        for (int j = 0; j < i; j++)
            s.energy -= b[i].mass * b[j].mass / hypot(hypot(b[i].x - b[j].x, b[i].y - b[j].y), b[i].z - b[j].z);
    }
    return s;
}

int main(void)
{
    // A heavy one in the middle, and four on circles about it.
    struct body b[5] = {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 40.0}};
    int bad = 0;
    for (int i = 1; i < 5; i++) {
        const double r = 2.0 + i, v = sqrt(40.0 / r);
        b[i] = (struct body){r * cos(i), r * sin(i), 0.1 * i, -v * sin(i), v * cos(i), 0.0, 0.01 * i};
    }
    const struct sums before = invariants(b, 5);
    const double x = b[3].x, y = b[3].y;
    advance(b, 5, 0.002, 0);
    advance(b, 0, 0.002, 5);
    bad += b[3].x != x || b[3].y != y;
    advance(b, 5, 0.002, 1);
    advance(b, 5, 0.002, 250);
    const struct sums after = invariants(b, 5);
    bad += !(fabs(after.energy - before.energy) < 1e-3 * fabs(before.energy));
    bad += !(fabs(after.px - before.px) < 1e-9 && fabs(after.py - before.py) < 1e-9 && fabs(after.pz - before.pz) < 1e-9);
    bad += !(fabs(after.lz - before.lz) < 1e-9 * fabs(before.lz));
    bad += fabs(b[3].y - y) < 1.0;
    // A light body alone with a heavy one is back where it was after one period.
    struct body pair[2] = {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0}};
    advance(pair, 2, 6.283185307179586 / 1000.0, 1000);
    bad += !(fabs(pair[1].x - 1.0) < 2e-3 && fabs(pair[1].y) < 2e-2 && pair[0].x == 0.0);
    // One body alone goes straight.
    struct body lone = {1.0, 2.0, 3.0, 0.5, -0.25, 1.0, 9.0};
    advance(&lone, 1, 0.5, 8);
    bad += lone.x != 3.0 || lone.y != 1.0 || lone.z != 7.0;
    printf("nbody: energy %.6f, then %.6f, %d wrong\n", before.energy, after.energy, bad);
    return bad != 0;
}
