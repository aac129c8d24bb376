// SparseAdd and SparseAddGrad, SparseTensorDenseAdd, SparseSparseMaximum and SparseSparseMinimum: two
// tensors, element by element.
#include <cmath>

#include "base/stop_look.h"
#include "kernels/framework/functors.h"
#include "kernels/sparse/sparse_input.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status SparseAddShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  RETURN_IF_ERROR(CheckSparseShapes(context, 3));
  RETURN_IF_ERROR(context->WithRank(6, 0).status());
  SetSparseShapes(context, 0, SparseRank(*context, 0));
  return OkStatus();
}

Status SparseAddGradShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 1).status());
  for (const int i : {1, 2}) {
    ASSIGN_OR_RETURN(const PartialShape indices, context->WithRank(i, 2));
    context->set_output(i - 1, PartialShape({indices.dim(0)}));
  }
  return context->WithRank(3, 2).status();
}

Status DenseAddShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  context->set_output(0, context->input(3));
  return OkStatus();
}

Status SparseSparseShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  RETURN_IF_ERROR(CheckSparseShapes(context, 3));
  context->set_output(0, PartialShape({kUnknownDim, SparseRank(*context, 0)}));
  context->set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

REGISTER_OP("SparseAdd")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Input("thresh: Treal")
    .Output("sum_indices: int64")
    .Output("sum_values: T")
    .Output("sum_shape: int64")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, "
          "half}")
    .Attr("Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, uint16, uint32, "
          "uint64}")
    .ShapeFunction(SparseAddShape);
REGISTER_OP("SparseAddGrad")
    .Input("backprop_val_grad: T")
    .Input("a_indices: int64")
    .Input("b_indices: int64")
    .Input("sum_indices: int64")
    .Output("a_val_grad: T")
    .Output("b_val_grad: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, "
          "half}")
    .ShapeFunction(SparseAddGradShape);
REGISTER_OP("SparseTensorDenseAdd")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: Tindices")
    .Input("b: T")
    .Output("output: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, "
          "half, uint16, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .ShapeFunction(DenseAddShape);
REGISTER_OP("SparseSparseMaximum")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(SparseSparseShape);
REGISTER_OP("SparseSparseMinimum")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, complex64, complex128, "
          "half, uint16, uint32, uint64}")
    .ShapeFunction(SparseSparseShape);

// The two tensors in inputs 0 to 2 and 3 to 5, of one shape.
struct Operands {
  SparsePlaces a, b;

  static Result<Operands> Read(const OpKernelContext& context) {
    Operands read;
    ASSIGN_OR_RETURN(read.a,
                     SparsePlaces::Read(context.input(0), context.input(1), context.input(2)));
    ASSIGN_OR_RETURN(read.b,
                     SparsePlaces::Read(context.input(3), context.input(4), context.input(5)));
    if (read.a.rank() != read.b.rank()) {
      return InvalidArgument("Operands do not have the same ranks; got shapes: ",
                             context.input(2).num_elements(), " and ",
                             context.input(5).num_elements(), " dimensions");
    }
    if (read.a.dims != read.b.dims) {
      return InvalidArgument("Operands' shapes do not match: the shapes differ in a dimension");
    }
    return read;
  }
  // Calls body(i, j) for each place in order, with the element of each tensor there, or -1.
  template <typename Body>
  void Merge(const Body& body) const {
    int64_t i = 0, j = 0;
    StopLook look;
    while (i < a.count || j < b.count) {
      look.Turn();
      const int compared = i == a.count ? 1 : j == b.count ? -1 : a.Compare(i, b.row(j));
      body(compared <= 0 ? i : -1, compared >= 0 ? j : -1);
      i += compared <= 0;
      j += compared >= 0;
    }
  }
};

template <typename T>
bool IsAtLeast(const T& value, double threshold) {
  return std::abs(static_cast<double>(ComputeTypeOf<T>(value))) >= threshold;
}
template <typename T>
bool IsAtLeast(const std::complex<T>& value, double threshold) {
  return std::abs(value) >= threshold;
}

Result<double> ThresholdFrom(const Tensor& given) {
  if (given.rank() != 0) {
    return InvalidArgument("The magnitude threshold must be a scalar: got shape ", given.shape());
  }
  switch (given.dtype()) {
#define CASE(T) \
  case DTypeOf<T>::value: return static_cast<double>(ComputeTypeOf<T>(*given.data<T>()));
    TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
    default: return InvalidArgument("thresh has type ", DTypeName(given.dtype()));
  }
}

template <typename T>
class SparseAddOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Operands operands, Operands::Read(*context));
    ASSIGN_OR_RETURN(const double threshold, ThresholdFrom(context->input(6)));
    const T *a = context->input(1).data<T>(), *b = context->input(4).data<T>();
    SparsePlaces sum;
    sum.dims = operands.a.dims;
    std::vector<T> values;
    operands.Merge([&](int64_t i, int64_t j) {
      const T value = i < 0 ? b[j] : j < 0 ? a[i] : functor::Add::Apply(a[i], b[j]);
      // As in TensorFlow: what only one of them has is no sum, and stays.
      if (i >= 0 && j >= 0 && !IsAtLeast(value, threshold)) return;
      sum.Add(i < 0 ? operands.b.row(j) : operands.a.row(i));
      values.push_back(value);
    });
    RETURN_IF_ERROR(sum.PutIndices(context, 0));
    RETURN_IF_ERROR(PutValues(context, 1, values));
    return sum.PutShape(context, 2);
  }
};

template <typename T>
class SparseAddGradOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const int64_t rank = context->input(1).rank() == 2 ? context->input(1).dim(1) : 0;
    if (rank > kMaxRank) {
      return InvalidArgument("a tensor has ", kMaxRank, " dimensions at most, not ", rank);
    }
    const std::vector<int64_t> dims(static_cast<size_t>(rank), 0);
    ASSIGN_OR_RETURN(const SparsePlaces sum, SparsePlaces::Read(context->input(3), dims));
    if (gradient.rank() != 1 || gradient.dim(0) != sum.count) {
      return InvalidArgument("# elements and # rows of sum indices differ: gradient has shape ",
                             gradient.shape(), ", sum_indices has ", sum.count, " rows");
    }
    for (const int which : {0, 1}) {
      ASSIGN_OR_RETURN(const SparsePlaces places,
                       SparsePlaces::Read(context->input(1 + which), dims));
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(which, Shape{places.count}));
      T* out = output->mutable_data<T>();
      int64_t at = 0;
      StopLook look;
      for (int64_t i = 0; i < places.count; ++i) {
        look.Turn();
        while (at < sum.count && sum.Compare(at, places.row(i)) < 0) ++at;
        const bool found = at < sum.count && sum.Compare(at, places.row(i)) == 0;
        out[i] = found ? gradient.data<T>()[at] : T(0);
      }
    }
    return OkStatus();
  }
};

template <typename T>
class DenseAddOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const SparsePlaces a, SparsePlaces::Read(context->input(0), context->input(1),
                                                              context->input(2)));
    const Tensor& b = context->input(3);
    const std::vector<int64_t> dims = b.shape().dims();
    if (a.dims != dims) {
      return InvalidArgument("Dimensions of the sparse tensor and of b (", b.shape(),
                             ") do not match");
    }
    RETURN_IF_ERROR(a.CheckBounds());
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, b.shape()));
    T* out = output->mutable_data<T>();
    std::copy_n(b.data<T>(), b.num_elements(), out);
    StopLook look;
    for (int64_t i = 0; i < a.count; ++i) {
      look.Turn();
      int64_t place = 0;
      for (size_t k = 0; k < dims.size(); ++k) place = place * dims[k] + a.row(i)[k];
      out[place] = functor::Add::Apply(out[place], context->input(1).data<T>()[i]);
    }
    return OkStatus();
  }
};

template <typename T, bool kLargest>
class SparseExtremeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Operands operands, Operands::Read(*context));
    const T *a = context->input(1).data<T>(), *b = context->input(4).data<T>();
    SparsePlaces all;
    all.dims = operands.a.dims;
    std::vector<T> values;
    operands.Merge([&](int64_t i, int64_t j) {
      const T left = i < 0 ? T(0) : a[i], right = j < 0 ? T(0) : b[j];
      const bool less = static_cast<ComputeTypeOf<T>>(left) < static_cast<ComputeTypeOf<T>>(right);
      values.push_back(less == kLargest ? right : left);
      all.Add(i < 0 ? operands.b.row(j) : operands.a.row(i));
    });
    RETURN_IF_ERROR(all.PutIndices(context, 0));
    return PutValues(context, 1, values);
  }
};

#define REGISTER(T)                                                          \
  REGISTER_KERNEL(Kernel("SparseAdd").OnCpu().Type<T>("T"), SparseAddOp<T>); \
  REGISTER_KERNEL(Kernel("SparseAddGrad").OnCpu().Type<T>("T"), SparseAddGradOp<T>);
TFBUILD_COMMON_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("SparseTensorDenseAdd").OnCpu().Type<T>("T"), DenseAddOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T)                                                                               \
  REGISTER_KERNEL(Kernel("SparseSparseMaximum").OnCpu().Type<T>("T"), SparseExtremeOp<T, true>);  \
  REGISTER_KERNEL(Kernel("SparseSparseMinimum").OnCpu().Type<T>("T"), SparseExtremeOp<T, false>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
