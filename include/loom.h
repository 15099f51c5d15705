/* loom.h: marks and hints for C and C++ functions that LOOM puts on a fabric.
 *
 *     #include "loom.h"
 *
 *     LOOM_ACCEL void scale(float *restrict y, const float *restrict x, float a, int n)
 *     {
 *         for (int i = 0; i < n; i++) {
 *             LOOM_INDEPENDENT;
 *             LOOM_UNROLL(4);
 *             y[i] = a * x[i];
 *         }
 *     }
 *
 * Works in C99 and later and in C++11 and later. An ordinary compiler sees the same program with no hints in it: they have
 * no effect on what it computes, and their arguments are checked by every compiler, so that a wrong one is found at home.
 *
 * Where hints stand
 *   LOOM_ACCEL stands in front of a function's definition, before its return type.
 *   LOOM_INDEPENDENT, LOOM_UNROLL and LOOM_TRIP are statements. They stand first in the body of the loop they speak about
 *   (for, while or do), in any order among themselves, and need the body's braces. They belong to the innermost loop
 *   around them; outside of every loop they are an error of the front end.
 *   LOOM_BANKS is a statement too. It stands at the beginning of the function's body, or just after the declaration of a
 *   local array, outside of every loop.
 *
 * For the front end
 *   It defines __LOOM__ and reads the annotation "loom.accel" and the calls of the four functions declared below. Their
 *   arguments are constants (but for the array) once inlining is done. It notes what they say before it changes a loop, and
 *   deletes the calls. The functions have no definition: a call that were left would be an error of the linker.
 */
#ifndef LOOM_H
#define LOOM_H

/* LOOM_ACCEL marks a function that runs on the fabric. It stays a function of its own, so that its calls can be replaced. */
#if defined(__clang__)
#define LOOM_ACCEL __attribute__((noinline, annotate("loom.accel")))
#elif defined(__GNUC__)
#define LOOM_ACCEL __attribute__((noinline))
#elif defined(_MSC_VER)
#define LOOM_ACCEL __declspec(noinline)
#else
#define LOOM_ACCEL
#endif

/* What the hints mean:
 *
 * LOOM_INDEPENDENT    A promise: no iteration of this loop reads or writes an element of an argument or a global that
 *                     another iteration of the same activation writes. Accesses of local arrays keep their order, and so do
 *                     variables that are carried from one iteration to the next, a running sum for one. When the promise is
 *                     broken results are undefined.
 * LOOM_UNROLL(n)      A wish: n copies of the body, n at least 1; 1 forbids unrolling. Results do not change.
 * LOOM_TRIP(min, max) An estimate: each activation runs between min and max iterations. It steers choices of the compiler
 *                     and the mapper. When it is wrong the program is slower and still right.
 * LOOM_BANKS(a, n)    A wish: element i of the local array lies in bank i mod n, so that n neighbours can be accessed at
 *                     once. n is a power of two, and every access of a known remainder: unroll the loops over the array
 *                     by n. Results do not change.
 */
#if defined(__LOOM__)

#ifdef __cplusplus
extern "C" {
#endif
void __loom_independent(void) __attribute__((nothrow));
void __loom_unroll(int factor) __attribute__((nothrow));
void __loom_trip(long long min, long long max) __attribute__((nothrow));
void __loom_banks(const volatile void *array, int banks) __attribute__((nothrow));
#ifdef __cplusplus
}
#endif

#define LOOM_INDEPENDENT __loom_independent()
#define LOOM_UNROLL(n) __loom_unroll(n)
#define LOOM_TRIP(min, max) __loom_trip(min, max)
#define LOOM_BANKS(array, n) __loom_banks(array, n)

#else

/* An array type of negative length is an error in every compiler; sizeof evaluates nothing. */
#define LOOM_CHECKED(condition) ((void)sizeof(char[(condition) ? 1 : -1]))

#define LOOM_INDEPENDENT ((void)0)
#define LOOM_UNROLL(n) LOOM_CHECKED((n) >= 1)
#define LOOM_TRIP(min, max) LOOM_CHECKED((min) >= 0 && (min) <= (max))
#define LOOM_BANKS(array, n) ((void)sizeof((array)[0]), LOOM_CHECKED((n) >= 1))

#endif

#endif
