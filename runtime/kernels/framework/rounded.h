#pragma once

#include <cstdint>

#include "kernels/framework/vector_math.h"

namespace tfbuild {

#ifdef __has_builtin
#if __has_builtin(__builtin_assoc_barrier)
#define TFBUILD_HAS_BARRIER 1
#endif
#endif

// A product, rounded: not as a part of a sum with which it is rounded at once. Compilers before GCC 12
// have no word for it; they do not know that `zero` is 0, and it takes an operation more.
TFBUILD_ALWAYS_INLINE float Rounded(float product, [[maybe_unused]] int32_t zero) {
#ifdef TFBUILD_HAS_BARRIER
  return __builtin_assoc_barrier(product);
#else
  return vector_math::OfBits(vector_math::BitsOf(product) ^ zero);
#endif
}

#undef TFBUILD_HAS_BARRIER

}  // namespace tfbuild
