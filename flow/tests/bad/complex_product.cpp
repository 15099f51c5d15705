#include "loom.h"
#include <complex>

LOOM_ACCEL void square(std::complex<float> *z, int n)
{
    for (int i = 0; i < n; i++)
        z[i] = z[i] * z[i];
}
