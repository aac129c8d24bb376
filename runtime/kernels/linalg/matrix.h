#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/parallel.h"
#include "base/stop.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "tensor/complex.h"
#include "tensor/limited_product.h"

namespace tfbuild {

// A tensor as matrices in its last two dimensions.
struct MatrixBatch {
  std::vector<int64_t> batch;  // the dimensions before them
  int64_t count = 1;           // how many there are
  int64_t rows = 0;
  int64_t columns = 0;

  static Result<MatrixBatch> Of(const Tensor& tensor) {
    if (tensor.rank() < 2) {
      return InvalidArgument("Input must have rank >= 2, got shape ", tensor.shape());
    }
    MatrixBatch made;
    made.batch.assign(tensor.shape().dims().begin(), tensor.shape().dims().end() - 2);
    made.count = LimitedProduct(made.batch.begin(), made.batch.end());
    made.rows = tensor.dim(tensor.rank() - 2);
    made.columns = tensor.dim(tensor.rank() - 1);
    return made;
  }
  static Result<MatrixBatch> OfSquare(const Tensor& tensor) {
    ASSIGN_OR_RETURN(MatrixBatch made, Of(tensor));
    if (made.rows != made.columns) {
      return InvalidArgument("Input matrices must be square, got shape ", tensor.shape());
    }
    return made;
  }
  int64_t size() const { return rows * columns; }
  // The shape of as many things of those dimensions.
  Result<Shape> With(const std::vector<int64_t>& dims) const {
    std::vector<int64_t> all = batch;
    all.insert(all.end(), dims.begin(), dims.end());
    return Shape::Make(all);
  }
};

// Calls body(i) for each matrix, on several threads where the multiplications of one, the product of
// `factors`, pay for it.
template <typename Body>
Status ForEachMatrix(int64_t count, std::initializer_list<int64_t> factors, const Body& body) {
  std::vector<Status> ends(static_cast<size_t>(count));
  const int64_t work = LimitedProduct(factors.begin(), factors.end());
  const int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(work, 1));
  ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ThrowIfStopped();
      ends[static_cast<size_t>(i)] = body(i);
    }
  });
  for (const Status& status : ends) RETURN_IF_ERROR(status);
  return OkStatus();
}

// Output 0 has the shape of input 0, whose last two dimensions are equal.
inline Status SquareMatrixShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  const PartialShape& input = context->input(0);
  if (input.known_rank()) {
    const int64_t rows = input.dim(input.rank() - 2), columns = input.dim(input.rank() - 1);
    if (rows != columns && rows != kUnknownDim && columns != kUnknownDim) {
      return InvalidArgument("Dimensions must be equal, but are ", rows, " and ", columns,
                             " for input of shape ", input);
    }
  }
  context->set_output(0, input);
  return OkStatus();
}

}  // namespace tfbuild
