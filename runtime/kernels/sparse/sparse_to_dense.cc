// SparseToDense and SparseTensorDenseMatMul.
#include <algorithm>
#include <string>
#include <vector>

#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

Status ToDenseShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(1));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status SparseMatMulShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 2).status());
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  ASSIGN_OR_RETURN(const PartialShape a, context->input_as_shape(2));
  ASSIGN_OR_RETURN(const PartialShape b, context->WithRank(3, 2));
  ASSIGN_OR_RETURN(const bool adjoint_a, context->Attr<bool>("adjoint_a"));
  ASSIGN_OR_RETURN(const bool adjoint_b, context->Attr<bool>("adjoint_b"));
  int64_t rows = kUnknownDim;
  if (a.known_rank()) {
    if (a.rank() != 2) return InvalidArgument("Tensor 'a_shape' must have 2 elements");
    rows = a.dim(adjoint_a ? 1 : 0);
    const int64_t inner_a = a.dim(adjoint_a ? 0 : 1), inner_b = b.dim(adjoint_b ? 1 : 0);
    if (inner_a != inner_b && inner_a != kUnknownDim && inner_b != kUnknownDim) {
      return InvalidArgument("Cannot multiply A and B because inner dimension does not match: ",
                             inner_a, " vs. ", inner_b);
    }
  }
  context->set_output(0, PartialShape({rows, b.dim(adjoint_b ? 0 : 1)}));
  return OkStatus();
}

REGISTER_OP("SparseToDense")
    .Input("sparse_indices: Tindices")
    .Input("output_shape: Tindices")
    .Input("sparse_values: T")
    .Input("default_value: T")
    .Output("dense: T")
    .Attr("validate_indices: bool = true")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .ShapeFunction(ToDenseShape);
REGISTER_OP("SparseTensorDenseMatMul")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b: T")
    .Output("product: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64} = DT_INT64")
    .Attr("adjoint_a: bool = false")
    .Attr("adjoint_b: bool = false")
    .ShapeFunction(SparseMatMulShape);

// The elements of indices of any rank.
Result<std::vector<int64_t>> AllInts(const Tensor& tensor) {
  ASSIGN_OR_RETURN(const Tensor flat, tensor.Reshaped(Shape{tensor.num_elements()}));
  return IntsFrom(flat);
}

// Where each element of a sparse tensor stands in the dense one; ordered and each once where asked.
Result<std::vector<int64_t>> Places(const Tensor& indices, const Shape& shape, bool ordered) {
  const int rank = shape.rank();
  const int64_t count = indices.rank() == 0 ? 1 : indices.dim(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, AllInts(indices));
  std::vector<int64_t> places;
  StopLook look;
  for (int64_t i = 0; i < count; ++i) {
    look.Turn();
    int64_t place = 0;
    for (int axis = 0; axis < rank; ++axis) {
      const int64_t at = numbers[static_cast<size_t>(i * rank + axis)];
      if (at < 0 || at >= shape.dim(axis)) {
        return InvalidArgument("Indices are not valid (out of bounds): indices[", i, ",", axis,
                               "] = ", at, ".  Shape: ", shape);
      }
      place = place * shape.dim(axis) + at;
    }
    if (ordered && !places.empty() && place <= places.back()) {
      return InvalidArgument("indices[", i, "] is ",
                             place == places.back() ? "repeated" : "out of order",
                             ". Many sparse ops require sorted indices.");
    }
    places.push_back(place);
  }
  return places;
}

template <typename T>
class SparseToDenseOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(validate_, construction.Attr<bool>("validate_indices"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor &indices = context->input(0), &values = context->input(2);
    ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(context->input(1), "output_shape"));
    if (indices.rank() > 2) {
      return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape ",
                             indices.shape());
    }
    const int64_t width = indices.rank() == 2 ? indices.dim(1) : 1;
    if (shape.rank() != width) {
      return InvalidArgument("output_shape has incorrect number of elements: ", shape.rank(),
                             " should be: ", width);
    }
    const int64_t count = indices.rank() == 0 ? 1 : indices.dim(0);
    if (values.rank() > 1 || (values.rank() == 1 && values.dim(0) != count)) {
      return InvalidArgument("sparse_values has incorrect shape ", values.shape(),
                             ", should be [] or [", count, "]");
    }
    if (context->input(3).rank() != 0) {
      return InvalidArgument("default_value should be a scalar.");
    }
    ASSIGN_OR_RETURN(const std::vector<int64_t> places, Places(indices, shape, validate_));
    ASSIGN_OR_RETURN(Tensor * dense, context->AllocateOutput(0, shape));
    T* out = dense->mutable_data<T>();
    ParallelFill(out, shape.num_elements(), context->input(3).data<T>()[0]);
    const T* from = values.data<T>();
    StopLook look;
    for (size_t i = 0; i < places.size(); ++i) {
      look.Turn();
      out[places[i]] = from[values.rank() == 0 ? 0 : i];
    }
    return OkStatus();
  }

 private:
  bool validate_ = true;
};

template <typename T>
class SparseMatMulOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(adjoint_a_, construction.Attr<bool>("adjoint_a"));
    ASSIGN_OR_RETURN(adjoint_b_, construction.Attr<bool>("adjoint_b"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor &indices = context->input(0), &values = context->input(1), &b = context->input(3);
    ASSIGN_OR_RETURN(const Shape a, ShapeFrom(context->input(2), "a_shape"));
    if (a.rank() != 2) return InvalidArgument("Tensor 'a_shape' must have 2 elements");
    if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix: ", b.shape());
    if (indices.rank() != 2 || indices.dim(1) != 2 || values.rank() != 1 ||
        values.dim(0) != indices.dim(0)) {
      return InvalidArgument("a_indices must have shape [n, 2] and a_values [n], but have ",
                             indices.shape(), " and ", values.shape());
    }
    const int64_t rows = a.dim(adjoint_a_ ? 1 : 0), inner = a.dim(adjoint_a_ ? 0 : 1);
    const int64_t columns = b.dim(adjoint_b_ ? 0 : 1);
    if (inner != b.dim(adjoint_b_ ? 1 : 0)) {
      return InvalidArgument("Cannot multiply A and B because inner dimension does not match: ",
                             inner, " vs. ", b.dim(adjoint_b_ ? 1 : 0));
    }
    ASSIGN_OR_RETURN(const std::vector<int64_t> places, Places(indices, a, false));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make({rows, columns}));
    ASSIGN_OR_RETURN(Tensor * product, context->AllocateOutput(0, shape));
    T* out = product->mutable_data<T>();
    ParallelFill(out, shape.num_elements(), T(0));
    const T* from = b.data<T>();
    const int64_t step = adjoint_b_ ? inner : 1, line = adjoint_b_ ? 1 : columns;
    StopLook look;
    for (size_t i = 0; i < places.size(); ++i) {
      look.Turns(1 + columns);
      int64_t row = places[i] / a.dim(1), k = places[i] % a.dim(1);
      if (adjoint_a_) std::swap(row, k);
      const T value = values.data<T>()[i];
      const T* with = from + k * line;
      for (int64_t j = 0; j < columns; ++j) out[row * columns + j] += value * with[j * step];
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  bool adjoint_a_ = false;
  bool adjoint_b_ = false;
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("SparseToDense").OnCpu().Type<T>("T"), SparseToDenseOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER(bool)
REGISTER(std::string)
#undef REGISTER

REGISTER_KERNEL(Kernel("SparseTensorDenseMatMul").OnCpu().Type<float>("T"), SparseMatMulOp<float>);
REGISTER_KERNEL(Kernel("SparseTensorDenseMatMul").OnCpu().Type<double>("T"),
                SparseMatMulOp<double>);
REGISTER_KERNEL(Kernel("SparseTensorDenseMatMul").OnCpu().Type<int32_t>("T"),
                SparseMatMulOp<int32_t>);

}  // namespace
}  // namespace tfbuild
