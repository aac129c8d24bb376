#pragma once

#include <cstdint>

#include "tensor/half.h"

namespace tfbuild {

// 16-bit floats to float and back for a row of elements, as vectors. They do not overlap.
void WidenRow(const Half* from, int64_t count, float* to);
void WidenRow(const BFloat16* from, int64_t count, float* to);
void NarrowRow(const float* from, int64_t count, Half* to);
void NarrowRow(const float* from, int64_t count, BFloat16* to);

}  // namespace tfbuild
