// DSP: IMA ADPCM, 16-bit speech to 4 bits a sample and back.
// Interactive Multimedia Association 1992. Each sample's quantisation depends on the one before through two constant tables
// and clamps; two codes share a byte, so every second iteration stores.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

static const int16_t step_table[89] = {
    7,    8,    9,    10,   11,   12,   13,   14,   16,    17,    19,    21,    23,    25,    28,
    31,   34,   37,   41,   45,   50,   55,   60,   66,    73,    80,    88,    97,    107,   118,
    130,  143,  157,  173,  190,  209,  230,  253,  279,   307,   337,   371,   408,   449,   494,
    544,  598,  658,  724,  796,  876,  963,  1060, 1166,  1282,  1411,  1552,  1707,  1878,  2066,
    2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871,  5358,  5894,  6484,  7132,  7845,  8630,
    9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
static const int8_t index_table[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

struct adpcm {
    int16_t value;
    int8_t index;
};

static int clamp(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

LOOM_ACCEL void adpcm_encode(struct adpcm *state, const int16_t *restrict in, int n, uint8_t *restrict out)
{
    int value = state->value, index = state->index;
    uint8_t held = 0;
    for (int i = 0; i < n; i++) {
        int step = step_table[index];
        int diff = in[i] - value, code = 0, delta = step >> 3;
        if (diff < 0) {
            code = 8;
            diff = -diff;
        }
        for (int bit = 4; bit; bit >>= 1) {
            if (diff >= step) {
                code |= bit;
                diff -= step;
                delta += step;
            }
            step >>= 1;
        }
        value = clamp(code & 8 ? value - delta : value + delta, -32768, 32767);
        index = clamp(index + index_table[code & 7], 0, 88);
        if (i & 1)
            *out++ = (uint8_t)(held | code << 4);
        else
            held = (uint8_t)code;
    }
    if (n & 1)
        *out = held;
    state->value = (int16_t)value;
    state->index = (int8_t)index;
}

#define N 900

// A decoder from the standard's description, which shares nothing but the tables.
static void decode(struct adpcm *s, const uint8_t *in, int n, int16_t *out)
{
    for (int i = 0; i < n; i++) {
        const int code = in[i / 2] >> (i % 2 ? 4 : 0) & 15, step = step_table[s->index];
        int next = s->value;
        const int delta = (code & 4 ? step : 0) + (code & 2 ? step / 2 : 0) + (code & 1 ? step / 4 : 0) + step / 8;
        next += code & 8 ? -delta : delta;
        s->value = out[i] = (int16_t)(next > 32767 ? 32767 : next < -32768 ? -32768 : next);
        int at = s->index + index_table[code & 7];
        s->index = (int8_t)(at < 0 ? 0 : at > 88 ? 88 : at);
    }
}

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 333};
    static int16_t in[N], back[N];
    static uint8_t packed[N / 2 + 2];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        struct adpcm coder = {0, 0}, decoder = {0, 0};
        // A triangle whose slope grows, at the end up to both ends of the range.
        for (int i = 0, v = 500, up = 1; i < N; i++) {
            v += up * (3 + i * 2);
            if (v > 32767 || v < -32768) {
                v = v > 0 ? 32767 : -32768;
                up = -up;
            } else if (i % 97 == 0)
                up = -up;
            in[i] = (int16_t)v;
        }
        packed[(n + 1) / 2] = 0xa5;
        adpcm_encode(&coder, in, n, packed);
        decode(&decoder, packed, n, back);
        bad += coder.value != decoder.value || coder.index != decoder.index;
        bad += packed[(n + 1) / 2] != 0xa5;
        // The first sample is far from zero: the largest step up.
        bad += n > 0 && (packed[0] & 15) != 7;
        // It follows the signal: the error is small against the slope and the present step.
        int64_t error = 0, power = 0;
        for (int i = 0; i < n; i++) {
            error += (int64_t)(in[i] - back[i]) * (in[i] - back[i]);
            power += (int64_t)in[i] * in[i];
        }
        bad += n > 100 && error * 30 > power;
        bad += n == N && coder.index < 40;
    }
    printf("adpcm: %d signals, %d wrong\n", calls, bad);
    return bad != 0;
}
