#pragma once

// Loops over rows of floats that are written for AVX-512 by hand.

#include "kernels/framework/vector_target.h"

#ifdef TFBUILD_X86
#include <immintrin.h>

#include <cstdint>

namespace tfbuild {

constexpr int64_t kAvx512Lanes = 16;

// y = of(x) for all, 16 at a time; those beside a rest are 1. y may be x.
template <__m512 (*of)(__m512)>
TFBUILD_FOR_AVX512 inline void Avx512Row(const float* x, float* y, int64_t count) {
  for (; count >= kAvx512Lanes; count -= kAvx512Lanes, x += kAvx512Lanes, y += kAvx512Lanes) {
    _mm512_storeu_ps(y, of(_mm512_loadu_ps(x)));
  }
  const __mmask16 rest = static_cast<__mmask16>((1u << count) - 1);
  _mm512_mask_storeu_ps(y, rest, of(_mm512_mask_loadu_ps(_mm512_set1_ps(1.0f), rest, x)));
}

}  // namespace tfbuild
#endif
