#include "kernels/framework/half_rows.h"

#include "kernels/framework/vector_target.h"

#ifdef TFBUILD_X86
#include <immintrin.h>
#endif

namespace tfbuild {
namespace {

#ifdef TFBUILD_X86
// All but the last elements, eight at a time; the answer is how many.
__attribute__((target("avx2,f16c"))) int64_t WidenEights(const Half* from, int64_t count,
                                                         float* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  return i;
}

__attribute__((target("avx2,f16c"))) int64_t NarrowEights(const float* from, int64_t count,
                                                          Half* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  return i;
}
#endif

}  // namespace

void WidenRow(const Half* from, int64_t count, float* to) {
  int64_t i = 0;
#ifdef TFBUILD_X86
  if (HasAvx2()) i = WidenEights(from, count, to);
#endif
  for (; i < count; ++i) to[i] = from[i];
}

void NarrowRow(const float* from, int64_t count, Half* to) {
  int64_t i = 0;
#ifdef TFBUILD_X86
  if (HasAvx2()) i = NarrowEights(from, count, to);
#endif
  for (; i < count; ++i) to[i] = Half(from[i]);
}

void WidenRow(const BFloat16* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

// Rounds to even without a branch, so that the compiler makes vectors of it. A NaN keeps the upper
// half of its bits, one of which is set so that it stays a NaN.
void NarrowRow(const float* from, int64_t count, BFloat16* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    __builtin_memcpy(&bits, from + i, sizeof(bits));
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t nan = (bits >> 16) | 0x40u;
    to[i].bits = static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
  }
}

}  // namespace tfbuild
