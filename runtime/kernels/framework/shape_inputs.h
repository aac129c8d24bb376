#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "graph/shape_context.h"
#include "tensor/tensor.h"

namespace tfbuild {

// Inputs that hold shapes, axes and counts, read with all the checks that a value from outside
// needs. The tensors lie on the host.

// The elements of a scalar or vector of int16, int32 or int64.
Result<std::vector<int64_t>> IntsFrom(const Tensor& values);
// The elements of a vector; anything but a vector is an error that calls it `name`.
Result<std::vector<int64_t>> VectorFrom(const Tensor& values, const char* name);
// The only element of a tensor.
Result<int64_t> ScalarFrom(const Tensor& value, const char* name);
// The axis in [0, rank).
Result<int> AxisFrom(const Tensor& axis, int rank);
// A shape from a vector of dimensions, none negative.
Result<Shape> ShapeFrom(const Tensor& dims, const char* name);

// While a graph is built: the values of input i when it is a constant.
Result<std::optional<std::vector<int64_t>>> KnownInts(const ShapeContext& context, int i);
Result<std::optional<int64_t>> KnownScalar(const ShapeContext& context, int i);

}  // namespace tfbuild
