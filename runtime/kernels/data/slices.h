#pragma once

#include <vector>

#include "kernels/data/dataset.h"

namespace tfbuild {

// Row `index` of a host tensor, as a tensor of one dimension less.
Result<Tensor> SliceAt(const Tensor& tensor, int64_t index);
// A new host tensor; strings are empty, variants nothing, numbers uninitialised.
Result<Tensor> NewTensor(DType dtype, const Shape& shape);
// Copies all of `row` into row `index` of `batch`; strings and variants may be taken out of it.
void PutSlice(Tensor* row, int64_t index, Tensor* batch);
// Elements as one, each component with one dimension more; InvalidArgument where shapes differ. The
// elements are given up.
Result<Element> StackElements(std::vector<Element>* elements);

}  // namespace tfbuild
