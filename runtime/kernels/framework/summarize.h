#pragma once

#include <string>

#include "tensor/tensor.h"

namespace tfbuild {

// The first elements of a host tensor as text: "1 2 3..." for a vector, "[1 2][3 4]" for a matrix.
// A negative number of elements means all.
std::string Summarize(const Tensor& tensor, int64_t max_elements);

}  // namespace tfbuild
