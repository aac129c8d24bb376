#include "kernels/sparse/sparse_input.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/stop_look.h"
#include "kernels/framework/element_moves.h"

namespace tfbuild {

Result<SparsePlaces> SparsePlaces::Read(const Tensor& indices, const Tensor& values,
                                        const Tensor& shape) {
  if (values.rank() != 1) {
    return InvalidArgument("Input values should be a vector but received shape ",
                           values.shape());
  }
  ASSIGN_OR_RETURN(SparsePlaces places, Read(indices, shape));
  if (values.dim(0) != places.count) {
    return InvalidArgument("Number of values (", values.dim(0), ") must match first dimension "
                           "of indices (", places.count, ")");
  }
  return places;
}

Result<SparsePlaces> SparsePlaces::Read(const Tensor& indices, const Tensor& shape) {
  if (shape.rank() != 1) {
    return InvalidArgument("Input shape should be a vector but received shape ", shape.shape());
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, shape.IntValues());
  for (const int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("Input shape has a negative dimension: ", dim);
  }
  return Read(indices, std::move(dims));
}

Result<SparsePlaces> SparsePlaces::Read(const Tensor& indices, std::vector<int64_t> dims) {
  if (indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           indices.shape());
  }
  if (indices.dim(1) != static_cast<int64_t>(dims.size())) {
    return InvalidArgument("Number of dimensions of the shape (", dims.size(), ") must match "
                           "second dimension of indices (", indices.dim(1), ")");
  }
  ASSIGN_OR_RETURN(const Tensor flat, indices.Reshaped(Shape{indices.num_elements()}));
  SparsePlaces places;
  ASSIGN_OR_RETURN(places.indices, flat.IntValues());
  places.dims = std::move(dims);
  places.count = indices.dim(0);
  return places;
}

Status SparsePlaces::CheckBounds() const {
  StopLook look;
  for (int64_t i = 0; i < count; ++i) {
    look.Turn();
    for (size_t k = 0; k < rank(); ++k) {
      const int64_t at = row(i)[k];
      if (at < 0 || at >= dims[k]) {
        return InvalidArgument("Indices are not valid (out of bounds): indices[", i, ",", k,
                               "] = ", at, " is not in [0, ", dims[k], ")");
      }
    }
  }
  return OkStatus();
}

Status SparsePlaces::CheckOrder() const {
  StopLook look;
  for (int64_t i = 1; i < count; ++i) {
    look.Turn();
    const int compared = Compare(i - 1, row(i));
    if (compared < 0) continue;
    return InvalidArgument("indices[", i, "] is ", compared == 0 ? "repeated" : "out of order",
                           ". Many sparse ops require sorted indices. Use "
                           "`tf.sparse.reorder` to create a correctly ordered copy.");
  }
  return OkStatus();
}

std::vector<int64_t> SparsePlaces::Order() const {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  StopLook look;
  std::stable_sort(order.begin(), order.end(), [this, &look](int64_t a, int64_t b) {
    look.Turn();
    return Compare(a, row(b)) < 0;
  });
  return order;
}

Status SparsePlaces::PutIndices(OpKernelContext* context, int i) const {
  ASSIGN_OR_RETURN(Tensor * output,
                   context->AllocateOutput(i, Shape{count, static_cast<int64_t>(rank())}));
  std::copy(indices.begin(), indices.end(), output->mutable_data<int64_t>());
  return OkStatus();
}

Status SparsePlaces::PutShape(OpKernelContext* context, int i) const {
  ASSIGN_OR_RETURN(Tensor * output,
                   context->AllocateOutput(i, Shape{static_cast<int64_t>(rank())}));
  std::copy(dims.begin(), dims.end(), output->mutable_data<int64_t>());
  return OkStatus();
}

Status CheckSparseShapes(ShapeContext* context, int i) {
  RETURN_IF_ERROR(context->WithRank(i, 2).status());
  RETURN_IF_ERROR(context->WithRank(i + 1, 1).status());
  return context->WithRank(i + 2, 1).status();
}

void SetSparseShapes(ShapeContext* context, int i, int64_t rank) {
  context->set_output(i, PartialShape({kUnknownDim, rank}));
  context->set_output(i + 1, PartialShape({kUnknownDim}));
  context->set_output(i + 2, PartialShape({rank}));
}

int64_t SparseRank(const ShapeContext& context, int i) {
  const PartialShape &indices = context.input(i), &shape = context.input(i + 2);
  if (shape.known_rank() && shape.dim(0) != kUnknownDim) return shape.dim(0);
  return indices.known_rank() ? indices.dim(1) : kUnknownDim;
}

Status PutPicked(OpKernelContext* context, int i, const Tensor& values,
                 const std::vector<int64_t>& picked) {
  ASSIGN_OR_RETURN(Tensor * output,
                   context->AllocateOutput(i, Shape{static_cast<int64_t>(picked.size())}));
  GatherElements(values, picked, output);
  return OkStatus();
}

}  // namespace tfbuild
