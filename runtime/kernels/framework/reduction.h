#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "graph/shape_context.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// What a reduction does to a shape. Dimensions of size 1 are dropped and neighbours of one kind
// merged, so that kept and reduced ones alternate: a matrix summed over its rows is two dimensions,
// a batch of images summed over all but its channels, too.
struct ReductionPlan {
  Shape output;               // of the op, with or without the reduced dimensions
  std::vector<int64_t> dims;  // alternating; at least one
  bool first_is_reduced = false;
  int64_t outputs = 1;  // elements of the output
  int64_t reduced = 1;  // elements of the input for each of them; 0: dims means nothing

  bool is_reduced(size_t k) const { return (k % 2 == 0) == first_is_reduced; }
};

// The plan for reducing `input` along `axes` (a scalar or vector on the host; negative ones count
// from the end). InvalidArgument for axes out of range or named twice.
Result<ReductionPlan> PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims);

// Shape function of ops with inputs (input, reduction_indices) and attribute keep_dims.
Status ReductionShape(ShapeContext* context);

}  // namespace tfbuild
