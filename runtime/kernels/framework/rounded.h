#pragma once

#include <cstdint>

#include "kernels/framework/vector_math.h"

namespace tfbuild {

// A product, rounded: not as a part of a sum with which it is rounded at once. The compiler does not
// know that `zero` is 0. GCC's __builtin_assoc_barrier would take no operation, but in loops with a
// vector's worth of numbers it lets products become parts of sums all the same.
TFBUILD_ALWAYS_INLINE float Rounded(float product, int32_t zero) {
  return vector_math::OfBits(vector_math::BitsOf(product) ^ zero);
}

}  // namespace tfbuild
