#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace tfbuild {

// Single elements moved between host tensors of one type, whichever it is. A kernel that only moves
// elements is compiled once, and these once for each size of an element.

// to[i] = from[index[i]].
void GatherElements(const Tensor& from, const std::vector<int64_t>& index, Tensor* to);
// to[index[i]] = from[i], for all elements of `from`.
void ScatterElements(const Tensor& from, const int64_t* index, Tensor* to);
// to[place + i] = from[first + i], for `count` elements.
void CopyRange(const Tensor& from, int64_t first, int64_t count, Tensor* to, int64_t place);
// All elements of `to` become the only one of `value`.
void FillElements(const Tensor& value, Tensor* to);

}  // namespace tfbuild
