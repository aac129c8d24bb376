#include "kernels/nn/softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/framework/vector_math.h"
#include "kernels/framework/vector_target.h"

namespace tfbuild {
namespace {

constexpr int64_t kSoftmaxRowsGrain = 32768;  // exponentials that are worth a thread
constexpr int64_t kExpBlock = 256;  // numbers that stay in the first-level cache

template <typename C>
TFBUILD_ALWAYS_INLINE C MaxOfFew(const C* in, int64_t count) {
  C best = -std::numeric_limits<C>::infinity();
#pragma omp simd reduction(max : best)
  for (int64_t i = 0; i < count; ++i) best = in[i] > best ? in[i] : best;
  return best;
}

template <typename C>
struct MaxLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const C* in, int64_t count, C* max) {
    constexpr int64_t kNarrow = kVectorBytes / sizeof(C);
    constexpr int64_t kLanes = 4 * kNarrow;
    C best = -std::numeric_limits<C>::infinity();
    int64_t i = 0;
    if (count >= kLanes) {
      C lanes[kLanes];
      for (int64_t j = 0; j < kLanes; ++j) lanes[j] = best;
      for (; i + kLanes <= count; i += kLanes) {
#pragma omp simd
        for (int64_t j = 0; j < kLanes; ++j) lanes[j] = in[i + j] > lanes[j] ? in[i + j] : lanes[j];
      }
      for (int64_t k = kNarrow; k < kLanes; k += kNarrow) {
#pragma omp simd
        for (int64_t j = 0; j < kNarrow; ++j) {
          lanes[j] = lanes[k + j] > lanes[j] ? lanes[k + j] : lanes[j];
        }
      }
      best = MaxOfFew(lanes, kNarrow);
    }
    const C rest = MaxOfFew(in + i, count - i);
    *max = rest > best ? rest : best;
  }
};

// exp(x - shift) for x up to shift; 0 where that is below the normal numbers. What the difference
// loses when it is rounded goes into the exponential: of -80 it is as much as 40 units.
TFBUILD_ALWAYS_INLINE float ExpOfDifference(float x, float shift) {
  constexpr float kLowest = -87.33f;
  const float difference = x - shift;
  const float back = difference - x;
  const float lost = (x - (difference - back)) - (shift + back);
  const bool tiny = difference < kLowest;  // not NaN
  const auto parts = vector_math::SplitExp(tiny ? kLowest : difference, lost);
  const float y = (1.0f + parts.tail) * vector_math::PowerOfTwo(parts.n);
  return tiny ? 0.0f : y;
}

// The sum in double: where one logit is far above the others its logarithm is that of 1 and little.
struct ExpBelowLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const float* in, float shift, float* out, int64_t count,
                                        double* sum) {
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < count; ++i) {
      const float power = ExpOfDifference(in[i], shift);
      out[i] = power;
      total += power;
    }
    *sum = total;
  }
};

// For a sum that is only divided by: each two are added before they become double.
struct ExpBelowInPairsLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const float* in, float shift, float* out, int64_t count,
                                        double* sum) {
    constexpr int64_t kLanes = kVectorBytes / sizeof(float);
    double lanes[kLanes] = {};
    int64_t at = 0;
    for (; at + 2 * kLanes <= count; at += 2 * kLanes) {
#pragma omp simd
      for (int64_t j = 0; j < kLanes; ++j) {
        const float first = ExpOfDifference(in[at + j], shift);
        const float second = ExpOfDifference(in[at + kLanes + j], shift);
        out[at + j] = first;
        out[at + kLanes + j] = second;
        lanes[j] += first + second;
      }
    }
    double rest = 0;
    ExpBelowLoop::Run<kVectorBytes>(in + at, shift, out + at, count - at, &rest);
    for (int64_t j = 0; j < kLanes; ++j) rest += lanes[j];
    *sum = rest;
  }
};

// Multiplies by a factor that no float is: what is left of it counts as well.
struct ScaleBySumLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(float* row, int64_t count, double factor) {
    const float most = static_cast<float>(factor);
    const float rest = static_cast<float>(factor - most);
    for (int64_t i = 0; i < count; ++i) row[i] = row[i] * most + row[i] * rest;
  }
};

template <typename C>
struct ScaleLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(C* row, int64_t count, C factor) {
    for (int64_t i = 0; i < count; ++i) row[i] *= factor;
  }
};

// Where a row holds infinities or NaN, its other elements are 0, as TensorFlow has it for float.
template <typename C>
void ZeroNumbers(C* row, int64_t count) {
  for (int64_t i = 0; i < count; ++i) row[i] = row[i] == row[i] ? C(0) : row[i];
}

constexpr int64_t kShortRow = 128;
constexpr int64_t kShortRows = 1024;  // numbers of short rows that are computed together

// Short rows side by side: the exponentials of all of them are one loop.
struct ShortRowsLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const float* in, int64_t rows, int64_t n, float* out) {
    float shifts[kShortRows];
    for (int64_t row = 0; row < rows; ++row) {
      const float max = MaxOfFew(in + row * n, n);
      for (int64_t i = 0; i < n; ++i) shifts[row * n + i] = max;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < rows * n; ++i) out[i] = ExpOfDifference(in[i], shifts[i]);
    for (int64_t row = 0; row < rows; ++row) {
      float* const to = out + row * n;
      double total = 0;
#pragma omp simd reduction(+ : total)
      for (int64_t i = 0; i < n; ++i) total += to[i];
      if (total != total) ZeroNumbers(to, n);
      if (total == total) ScaleBySumLoop::Run<kVectorBytes>(to, n, 1 / total);
    }
  }
};

constexpr int64_t kRowsTogether = 8;        // at most
constexpr int64_t kNumbersTogether = 4096;  // that stay in the first-level cache, and their results

// Long rows. Each step goes over several of them before the next one begins: the largest number and
// the sum of a row are known late, and the next row has begun by then.
struct LongRowsLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const float* in, int64_t rows, int64_t n, float* out) {
    float shifts[kRowsTogether];
    double sums[kRowsTogether];
    for (int64_t row = 0; row < rows; ++row) {
      MaxLoop<float>::Run<kVectorBytes>(in + row * n, n, &shifts[row]);
    }
    for (int64_t row = 0; row < rows; ++row) {
      ExpBelowInPairsLoop::Run<kVectorBytes>(in + row * n, shifts[row], out + row * n, n,
                                             &sums[row]);
    }
    for (int64_t row = 0; row < rows; ++row) {
      float* const to = out + row * n;
      if (sums[row] != sums[row]) ZeroNumbers(to, n);
      if (sums[row] == sums[row]) ScaleBySumLoop::Run<kVectorBytes>(to, n, 1 / sums[row]);
    }
  }
};

void SoftmaxRange(const float* in, int64_t rows, int64_t n, float* out) {
  const bool are_short = n <= kShortRow;
  const int64_t most = are_short ? kShortRows / std::max<int64_t>(n, 1)
                                 : std::min(kRowsTogether, kNumbersTogether / n);
  for (int64_t row = 0; row < rows;) {
    const int64_t here = std::min(std::max<int64_t>(most, 1), rows - row);
    if (are_short) RunVectorised<ShortRowsLoop>(in + row * n, here, n, out + row * n);
    if (!are_short) RunVectorised<LongRowsLoop>(in + row * n, here, n, out + row * n);
    row += here;
  }
}

void SoftmaxRange(const double* in, int64_t rows, int64_t n, double* out) {
  for (int64_t row = 0; row < rows; ++row) {
    const double sum = ExpBelow(in + row * n, MaxOf(in + row * n, n), out + row * n, n);
    ScaleRow(out + row * n, n, 1 / sum);
  }
}

template <typename C>
struct SubtractLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const C* in, C* out, int64_t count, double first,
                                        double second) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = static_cast<C>((in[i] - first) - second);
  }
};

template <typename C>
void LogSoftmaxRange(const C* in, int64_t rows, int64_t n, C* out) {
  C unused[kExpBlock];
  for (int64_t row = 0; row < rows; ++row) {
    const C* const from = in + row * n;
    const C max = MaxOf(from, n);
    double sum = 0;
    for (int64_t i = 0; i < n; i += kExpBlock) {
      sum += ExpBelow(from + i, max, unused, std::min(kExpBlock, n - i));
    }
    RunVectorised<SubtractLoop<C>>(from, out + row * n, n, static_cast<double>(max),
                                   std::log(sum));
  }
}

template <typename C>
void SoftmaxRowsOf(const C* in, int64_t rows, int64_t n, bool log, C* out) {
  const int64_t grain = kSoftmaxRowsGrain / std::max<int64_t>(n, 1) + 1;
  ParallelFor(rows, grain, [=](int64_t begin, int64_t end) {
    const auto range = log ? &LogSoftmaxRange<C>
                           : static_cast<void (*)(const C*, int64_t, int64_t, C*)>(&SoftmaxRange);
    range(in + begin * n, end - begin, n, out + begin * n);
  });
}

}  // namespace

float MaxOf(const float* in, int64_t count) {
  float max;
  RunVectorised<MaxLoop<float>>(in, count, &max);
  return max;
}

double MaxOf(const double* in, int64_t count) {
  double max;
  RunVectorised<MaxLoop<double>>(in, count, &max);
  return max;
}

double ExpBelow(const float* in, float shift, float* out, int64_t count) {
  double sum;
  RunVectorised<ExpBelowLoop>(in, shift, out, count, &sum);
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

void ScaleRow(float* row, int64_t count, float factor) {
  RunVectorised<ScaleLoop<float>>(row, count, factor);
}
void ScaleRow(double* row, int64_t count, double factor) {
  RunVectorised<ScaleLoop<double>>(row, count, factor);
}

void SoftmaxRows(const float* in, int64_t rows, int64_t n, bool log, float* out) {
  SoftmaxRowsOf(in, rows, n, log, out);
}
void SoftmaxRows(const double* in, int64_t rows, int64_t n, bool log, double* out) {
  SoftmaxRowsOf(in, rows, n, log, out);
}

}  // namespace tfbuild
