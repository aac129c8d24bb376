#pragma once

// Sums over each channel of a tensor, in float over short runs and in double over these.

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/vector_target.h"
#include "kernels/nn/bias_layout.h"

namespace tfbuild {

constexpr int64_t kSumRows = 128;     // added up in float before the sums go on in double
constexpr int64_t kSumGrain = 32768;  // elements that are worth a thread

// A term says what element i, of channel c, adds to the sum of its channel:
//
//   struct Value {
//     const float* x;
//     TFBUILD_ALWAYS_INLINE float At(int64_t i, int64_t c) const { return x[i]; }
//   };
template <typename Term>
struct RowsLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(Term term, int64_t begin, int64_t end, int64_t channels,
                                        float* __restrict sums) {
    for (int64_t c = 0; c < channels; ++c) sums[c] = 0;
    for (int64_t row = begin; row < end; ++row) {
#pragma omp simd
      for (int64_t c = 0; c < channels; ++c) sums[c] += term.At(row * channels + c, c);
    }
  }
};

template <typename Term>
struct PlaneLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(Term term, int64_t from, int64_t count, int64_t channel,
                                        double* sum) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < count; ++i) total += term.At(from + i, channel);
    *sum += static_cast<double>(total);
  }
};

// totals[c] is the sum of the channel's terms; the order of additions hangs on the shape alone.
template <typename Term>
Status SumChannels(OpKernelContext* context, const BiasLayout& layout, const Term& term,
                   std::vector<double>* totals) {
  const int64_t channels = layout.channels;
  totals->assign(static_cast<size_t>(channels), 0.0);
  double* total = totals->data();
  if (layout.inner > 1) {
    const int64_t work = layout.outer * layout.inner;
    const int64_t grain = kSumGrain / std::max<int64_t>(work, 1) + 1;
    ParallelFor(channels, grain, [&](int64_t begin, int64_t end) {
      constexpr int64_t kPiece = 4096;
      for (int64_t c = begin; c < end; ++c) {
        for (int64_t outer = 0; outer < layout.outer; ++outer) {
          const int64_t start = (outer * channels + c) * layout.inner;
          for (int64_t i = 0; i < layout.inner; i += kPiece) {
            RunVectorised<PlaneLoop<Term>>(term, start + i, std::min(kPiece, layout.inner - i), c,
                                           total + c);
          }
        }
      }
    });
    return OkStatus();
  }
  const int64_t blocks = (layout.outer + kSumRows - 1) / kSumRows;
  ASSIGN_OR_RETURN(Tensor partial,
                   context->AllocateTemp(DType::kFloat, Shape{blocks * channels}));
  float* sums = partial.mutable_data<float>();
  const int64_t grain = kSumGrain / std::max<int64_t>(kSumRows * channels, 1) + 1;
  ParallelFor(blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      RunVectorised<RowsLoop<Term>>(term, block * kSumRows,
                                    std::min(layout.outer, (block + 1) * kSumRows), channels,
                                    sums + block * channels);
    }
  });
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t c = 0; c < channels; ++c) {
      total[c] += static_cast<double>(sums[block * channels + c]);
    }
  }
  return OkStatus();
}

}  // namespace tfbuild
