// Fixed point: a Q-format number class with saturating operators, used for a complex resonator.
// Embedded C++. Operators hide casts to 64 bits, shifts and two comparisons each; the number of fraction bits is a template
// argument, and a state of two numbers is carried through the loop.
#include "loom.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

template <int F>
class fixed {
public:
    static fixed raw(std::int64_t v)
    {
        fixed f;
        f.bits = static_cast<std::int32_t>(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
        return f;
    }
    static fixed from(double v) { return raw(std::llrint(v * (std::int64_t{1} << F))); }
    double to() const { return static_cast<double>(bits) / static_cast<double>(std::int64_t{1} << F); }

    fixed operator+(fixed o) const { return raw(std::int64_t{bits} + o.bits); }
    fixed operator-(fixed o) const { return raw(std::int64_t{bits} - o.bits); }
    fixed operator*(fixed o) const
    {
        return raw((std::int64_t{bits} * o.bits + (std::int64_t{1} << (F - 1))) >> F);
    }
    bool operator==(fixed o) const { return bits == o.bits; }

    std::int32_t bits;
};

using q24 = fixed<24>;

struct resonator {
    q24 re, im;
    q24 c, s;
};

// Turns the state by a fixed angle for each sample and adds the input to its real part.
LOOM_ACCEL void resonate(resonator &r, const q24 *in, q24 *out, int n)
{
    q24 re = r.re, im = r.im;
    for (int i = 0; i < n; i++) {
        const q24 turned = re * r.c - im * r.s;
        im = re * r.s + im * r.c;
        re = turned + in[i];
        out[i] = re;
    }
    r.re = re;
    r.im = im;
}

int main()
{
    constexpr int N = 1200;
    static q24 in[N], out[N];
    const int sizes[] = {0, 1, 499, 700};
    const double angle = 0.05, loss = 0.999;
    int bad = 0, calls = 0, done = 0;
    resonator r = {q24::from(0.5), q24::from(-0.25), q24::from(loss * std::cos(angle)), q24::from(loss * std::sin(angle))};
    for (int i = 0; i < N; i++)
        in[i] = q24::from(i % 100 == 3 ? 1.5 : 0.0);
    for (int n : sizes) {
        resonate(r, in + done, out + done, n);
        done += n;
        calls++;
    }
    // Each impulse rings on its own, as does the start; their sum at every place.
    for (int i = 0; i < done; i++) {
        double want = std::pow(loss, i + 1) * (0.5 * std::cos(angle * (i + 1)) + 0.25 * std::sin(angle * (i + 1)));
        for (int k = 3; k <= i; k += 100)
            want += 1.5 * std::pow(loss, i - k) * std::cos(angle * (i - k));
        bad += !(std::fabs(want - out[i].to()) < 1e-3);
    }
    // Driven at every sample without a turn it runs into both ends of its range and stays there.
    for (int sign = -1; sign <= 1; sign += 2, calls++) {
        resonator straight = {q24::from(0.0), q24::from(0.0), q24::from(1.0), q24::from(0.0)};
        for (int i = 0; i < 300; i++)
            in[i] = q24::from(sign * 1.0);
        resonate(straight, in, out, 300);
        for (int i = 0; i < 127; i++)
            bad += out[i].to() != sign * (i + 1.0);
        bad += out[299].bits != (sign > 0 ? INT32_MAX : INT32_MIN);
    }
    std::printf("fixed_class: %d blocks, %d samples wrong\n", calls, bad);
    return bad != 0;
}
