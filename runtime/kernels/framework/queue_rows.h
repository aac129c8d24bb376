#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace tfbuild {

// A row of a host tensor of rank 1 and more, copied.
Result<Tensor> CopyOfRow(const Tensor& batch, int64_t row);
// The tensors as rows of one: all of `shape`.
Result<Tensor> StackRows(const std::vector<const Tensor*>& rows, DType dtype, const Shape& shape);
// The same for tensors that differ in the dimensions that `declared` does not know: what is missing
// to the largest is zero or empty. InvalidArgument for ranks that differ.
Result<Tensor> StackPaddedRows(const std::vector<const Tensor*>& rows, DType dtype,
                               const PartialShape& declared);

}  // namespace tfbuild
