#include "loom.h"
#include <iostream>
#include <stdexcept>
#include <vector>
namespace dsp {
template <typename T> LOOM_ACCEL void scale(T *a, int n, T by)
{
    for (int i = 0; i < n; i++)
        a[i] *= by;
}
struct filter {
    int state[2];
    LOOM_ACCEL int step(int x)
    {
        int y = x + state[0] - state[1];
        state[1] = state[0];
        state[0] = y;
        return y;
    }
};
}
static LOOM_ACCEL double mean(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s / n;
}
struct early { early() { double a[3] = {1, 2, 6}; if (mean(a, 3) != 3) throw std::runtime_error("early"); } };
static early before_main;
int main()
{
    std::vector<int> v{1, 2, 3};
    dsp::scale(v.data(), 3, 5);
    std::vector<float> f{1, 2, 3};
    dsp::scale(f.data(), 3, 0.5f);
    dsp::filter one{{0, 0}};
    one.step(3);
    try {
        if (v[2] == 15 && f[2] == 1.5f && one.step(4) == 7)
            throw std::runtime_error("as it should");
    } catch (const std::exception &e) {
        std::cout << e.what() << std::endl;
        return 0;
    }
    return 1;
}
