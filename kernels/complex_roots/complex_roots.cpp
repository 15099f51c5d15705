// Number theory: all roots of a polynomial at once by Durand and Kerner, complex double precision.
// Kerner 1966. A complex class, products over all the other roots in the inner loop, a complex division for each root, and
// an outer loop that ends when nothing moves any more.
#include "loom.h"

#include <cmath>
#include <cstdio>

struct complex {
    double re, im;
};

static inline complex operator-(complex a, complex b)
{
    return {a.re - b.re, a.im - b.im};
}

static inline complex operator+(complex a, double b)
{
    return {a.re + b, a.im};
}

static inline complex operator*(complex a, complex b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline complex operator/(complex a, complex b)
{
    const double square = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}

// Coefficients from the constant up; the highest one is 1 and not stored. Returns the rounds, or 0 when they do not suffice.
LOOM_ACCEL int complex_roots(const double *coefficient, int degree, complex *root, double tolerance, int limit)
{
    complex start = {1.0, 0.0};
    for (int i = 0; i < degree; i++) {
        root[i] = start;
        start = start * complex{0.4, 0.9};
    }
    for (int round = 1; round <= limit; round++) {
        double moved = 0.0;
        for (int i = 0; i < degree; i++) {
            complex value = {1.0, 0.0}, others = {1.0, 0.0};
            for (int k = degree - 1; k >= 0; k--)
                value = value * root[i] + coefficient[k];
            for (int k = 0; k < degree; k++)
                if (k != i)
                    others = others * (root[i] - root[k]);
            const complex step = value / others;
            root[i] = root[i] - step;
            moved = std::fmax(moved, std::fabs(step.re) + std::fabs(step.im));
        }
        if (moved < tolerance)
            return round;
    }
    return 0;
}

int main()
{
    constexpr int MAX = 8;
    int bad = 0, calls = 0, rounds = 0;
    for (int degree = 0; degree <= MAX; degree++, calls++) {
        // From known roots: pairs 1 + k/2 +- i (k + 1)/4, and -2 when the degree is odd.
        complex known[MAX + 1], product[MAX + 2] = {{1.0, 0.0}}, root[MAX];
        double coefficient[MAX + 1] = {0.0};
        for (int k = 0; k < degree; k++) {
            const double sign = k % 2 ? -1.0 : 1.0;
            known[k] = k + 1 == degree && degree % 2 ? complex{-2.0, 0.0} : complex{1.0 + k / 2 * 0.5, sign * (k / 2 + 1) * 0.25};
            for (int i = k + 1; i >= 0; i--) {
                const complex shifted = i > 0 ? product[i - 1] : complex{0.0, 0.0};
                const complex scaled = i <= k ? product[i] * known[k] : complex{0.0, 0.0};
                product[i] = shifted - scaled;
            }
        }
        for (int i = 0; i < degree; i++)
            coefficient[i] = product[i].re;
        const int r = complex_roots(coefficient, degree, root, 1e-12, 200);
        bad += r == 0;
        rounds += r;
        // Every known root is found, by another one each.
        bool taken[MAX] = {};
        for (int k = 0; k < degree; k++) {
            int match = -1;
            for (int i = 0; i < degree; i++)
                if (!taken[i] && std::hypot(root[i].re - known[k].re, root[i].im - known[k].im) < 1e-5)
                    match = i;
            if (match < 0)
                bad++;
            else
                taken[match] = true;
        }
    }
    // Too few rounds are reported.
    const double quintic[5] = {-1.0, 3.0, 0.0, 2.0, -7.0};
    complex root[5];
    bad += complex_roots(quintic, 5, root, 1e-12, 2) != 0;
    std::printf("complex_roots: %d polynomials, %d rounds, %d wrong\n", calls + 1, rounds, bad);
    return bad != 0;
}
