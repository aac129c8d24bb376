#pragma once

// Elements of device memory for what stands in for cuBLAS and cuDNN: read and written as double,
// whatever they are.

#include <cstddef>
#include <cstdint>

namespace emulation {

enum class Element { kFloat, kDouble, kHalf, kBFloat16 };

double Read(Element type, const void* data, int64_t index);
// Rounds to the nearest, ties to even.
void Write(Element type, void* data, int64_t index, double value);

}  // namespace emulation
