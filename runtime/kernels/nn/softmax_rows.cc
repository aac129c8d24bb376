#include "kernels/nn/softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/parallel.h"

namespace tfbuild {
namespace {

constexpr int64_t kGrain = 4096;  // exponentials that are worth a thread
constexpr int64_t kBlock = 256;   // numbers whose exponentials stay in the first-level cache

// out[i] = exp(in[i] - shift) within two units in the last place, for in[i] <= shift; 0 where the
// result is below the normal numbers. By hand, since the library's is called once for each number:
// x = n ln 2 + r, and a polynomial (that of Cephes' expf) for r. With GCC's vectors, whose size
// goes with the processor, because it does not vectorise loops with such choices by itself.
#define TFBUILD_EXP(name, bytes, attributes)                                               \
  attributes void name(const float* in, float shift, float* out, int64_t count) {          \
    typedef float Floats __attribute__((vector_size(bytes)));                              \
    typedef int32_t Ints __attribute__((vector_size(bytes)));                              \
    typedef uint32_t Words __attribute__((vector_size(bytes)));                            \
    constexpr int64_t kLanes = bytes / sizeof(float);                                      \
    int64_t i = 0;                                                                         \
    for (; i + kLanes <= count; i += kLanes) {                                             \
      Floats x;                                                                            \
      __builtin_memcpy(&x, in + i, bytes);                                                 \
      x -= shift;                                                                          \
      const Floats lowest = Floats{} - 87.33f;                                             \
      const Ints tiny = x < lowest; /* NaN is not */                                       \
      x = tiny ? lowest : x;                                                               \
      const Ints n = __builtin_convertvector(x * 1.44269504f - 0.5f, Ints);                \
      const Floats whole = __builtin_convertvector(n, Floats);                             \
      const Floats r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;                \
      Floats y = r * 1.9875691500e-4f + 1.3981999507e-3f;                                  \
      y = y * r + 8.3334519073e-3f;                                                        \
      y = y * r + 4.1665795894e-2f;                                                        \
      y = y * r + 1.6666665459e-1f;                                                        \
      y = y * r + 5.0000001201e-1f;                                                        \
      y = y * r * r + r + 1.0f;                                                            \
      const Words power = (((Words)n + 127u) << 23) & ~(Words)tiny;                        \
      y *= (Floats)power;                                                                  \
      __builtin_memcpy(out + i, &y, bytes);                                                \
    }                                                                                      \
    if (i == count) return;                                                                \
    float rest[kLanes];                                                                    \
    std::fill_n(rest, kLanes, shift);                                                      \
    std::copy(in + i, in + count, rest);                                                   \
    name(rest, shift, rest, kLanes);                                                       \
    std::copy_n(rest, count - i, out + i);                                                 \
  }
TFBUILD_EXP(SmallExp, 16, )
TFBUILD_EXP(LargeExp, 32, __attribute__((target("arch=haswell"))))

void ExpBlock(const float* in, float shift, float* out, int64_t count) {
  static const bool large = __builtin_cpu_supports("avx2");
  large ? LargeExp(in, shift, out, count) : SmallExp(in, shift, out, count);
}

float SumBlock(const float* in, int64_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; ++i) sum += in[i];
  return sum;
}

template <typename C>
void SoftmaxRowsOf(const C* in, int64_t rows, int64_t n, bool log, C* out) {
  const int64_t grain = kGrain / std::max<int64_t>(n, 1) + 1;
  ParallelFor(rows, grain, [=](int64_t begin, int64_t end) {
    C unused[kBlock];
    for (int64_t row = begin; row < end; ++row) {
      const C* from = in + row * n;
      C* to = out + row * n;
      const C max = MaxOf(from, n);
      if (!log) {
        const C factor = C(1) / ExpBelow(from, max, to, n);
        for (int64_t i = 0; i < n; ++i) to[i] *= factor;
        continue;
      }
      C sum = 0;
      for (int64_t i = 0; i < n; i += kBlock) {
        sum += ExpBelow(from + i, max, unused, std::min(kBlock, n - i));
      }
      const C log_sum = std::log(sum);
      for (int64_t i = 0; i < n; ++i) to[i] = (from[i] - max) - log_sum;
    }
  });
}

}  // namespace

float MaxOf(const float* in, int64_t count) {
  float max = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : max)
  for (int64_t i = 0; i < count; ++i) max = in[i] > max ? in[i] : max;
  return max;
}

double MaxOf(const double* in, int64_t count) {
  double max = -std::numeric_limits<double>::infinity();
#pragma omp simd reduction(max : max)
  for (int64_t i = 0; i < count; ++i) max = in[i] > max ? in[i] : max;
  return max;
}

float ExpBelow(const float* in, float shift, float* out, int64_t count) {
  float sum = 0;
  // Sums of blocks lose less than one long sum.
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t length = std::min(kBlock, count - i);
    ExpBlock(in + i, shift, out + i, length);
    sum += SumBlock(out + i, length);
  }
  return sum;
}

double ExpBelow(const double* in, double shift, double* out, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = std::exp(in[i] - shift);
    sum += out[i];
  }
  return sum;
}

void SoftmaxRows(const float* in, int64_t rows, int64_t n, bool log, float* out) {
  SoftmaxRowsOf(in, rows, n, log, out);
}
void SoftmaxRows(const double* in, int64_t rows, int64_t n, bool log, double* out) {
  SoftmaxRowsOf(in, rows, n, log, out);
}

}  // namespace tfbuild
