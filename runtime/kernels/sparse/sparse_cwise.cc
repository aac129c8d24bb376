// SparseDenseCwiseAdd, -Mul and -Div, and SparseSoftmax: functions of the elements that are there.
#include <cmath>

#include "base/stop_look.h"
#include "kernels/framework/functors.h"
#include "kernels/sparse/sparse_input.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status SparseValuesShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  context->set_output(0, PartialShape({context->input(0).known_rank() ? context->input(0).dim(0)
                                                                      : kUnknownDim}));
  return OkStatus();
}

#define DEFINE(name)                                                                          \
  REGISTER_OP(name)                                                                           \
      .Input("sp_indices: int64")                                                             \
      .Input("sp_values: T")                                                                  \
      .Input("sp_shape: int64")                                                               \
      .Input("dense: T")                                                                      \
      .Output("output: T")                                                                    \
      .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, "      \
            "complex128, half, uint16, uint32, uint64}")                                      \
      .ShapeFunction(SparseValuesShape)
DEFINE("SparseDenseCwiseAdd");
DEFINE("SparseDenseCwiseMul");
DEFINE("SparseDenseCwiseDiv");
#undef DEFINE
REGISTER_OP("SparseSoftmax")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(SparseValuesShape);

struct Sum {
  template <typename T>
  static Result<T> Apply(const T& a, const T& b) { return functor::Add::Apply(a, b); }
};
struct Product {
  template <typename T>
  static Result<T> Apply(const T& a, const T& b) { return functor::Mul::Apply(a, b); }
};
struct Quotient {
  template <typename T>
  static Result<T> Apply(const T& a, const T& b) {
    using C = ComputeTypeOf<T>;
    const C above = static_cast<C>(a), below = static_cast<C>(b);
    if constexpr (std::is_integral_v<C>) {
      if (below == C(0)) return InvalidArgument("Integer division by zero");
      // The smallest number by -1 has no quotient; as elsewhere it wraps around.
      if (below == C(-1)) return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(above));
    }
    return static_cast<T>(above / below);
  }
};

// How far apart neighbours of the dense tensor are along each axis of the sparse one: 0 where it
// is stretched.
Result<std::vector<int64_t>> StretchedStrides(const SparsePlaces& places, const Shape& dense) {
  std::vector<int64_t> strides(places.rank(), 0);
  const size_t rank = places.rank(), dense_rank = static_cast<size_t>(dense.rank());
  int64_t stride = 1;
  bool fits = dense_rank <= rank;
  for (size_t back = 1; fits && back <= dense_rank; ++back) {
    const int64_t dim = dense.dims()[dense_rank - back];
    fits = dim == 1 || dim == places.dims[rank - back];
    if (dim != 1) strides[rank - back] = stride;
    stride *= dim;
  }
  if (!fits) {
    return InvalidArgument("SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
                           "incompatible shapes: a sparse tensor of rank ", rank, " vs. ", dense);
  }
  return strides;
}

template <typename T, typename Functor>
class SparseDenseOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor &values = context->input(1), &dense = context->input(3);
    ASSIGN_OR_RETURN(const SparsePlaces places,
                     SparsePlaces::Read(context->input(0), values, context->input(2)));
    RETURN_IF_ERROR(places.CheckBounds());
    ASSIGN_OR_RETURN(const std::vector<int64_t> strides, StretchedStrides(places, dense.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, values.shape()));
    StopLook look;
    for (int64_t i = 0; i < places.count; ++i) {
      look.Turn();
      int64_t at = 0;
      for (size_t k = 0; k < strides.size(); ++k) at += strides[k] * places.row(i)[k];
      ASSIGN_OR_RETURN(output->mutable_data<T>()[i],
                       Functor::Apply(values.data<T>()[i], dense.data<T>()[at]));
    }
    return OkStatus();
  }
};

template <typename T>
class SparseSoftmaxOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& values = context->input(1);
    ASSIGN_OR_RETURN(const SparsePlaces places,
                     SparsePlaces::Read(context->input(0), values, context->input(2)));
    if (places.rank() < 2) {
      return InvalidArgument("Input should have rank >= 2, but received shape of rank ",
                             places.rank());
    }
    RETURN_IF_ERROR(places.CheckBounds());
    RETURN_IF_ERROR(places.CheckOrder());
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, values.shape()));
    StopLook look;
    for (int64_t begin = 0, end = 0; begin < places.count; begin = end) {
      look.Turn();
      const int64_t* row = places.row(begin);
      while (end < places.count && std::equal(row, row + places.rank() - 1, places.row(end))) ++end;
      OneRow(values.data<T>() + begin, end - begin, output->mutable_data<T>() + begin);
    }
    return OkStatus();
  }

 private:
  static void OneRow(const T* from, int64_t count, T* to) {
    const auto wide = [](const T& x) { return static_cast<double>(ComputeTypeOf<T>(x)); };
    double largest = wide(from[0]), total = 0;
    for (int64_t i = 1; i < count; ++i) largest = std::max(largest, wide(from[i]));
    for (int64_t i = 0; i < count; ++i) total += std::exp(wide(from[i]) - largest);
    for (int64_t i = 0; i < count; ++i) {
      to[i] = T(static_cast<ComputeTypeOf<T>>(std::exp(wide(from[i]) - largest) / total));
    }
  }
};

#define REGISTER(T)                                                                               \
  REGISTER_KERNEL(Kernel("SparseDenseCwiseAdd").OnCpu().Type<T>("T"), SparseDenseOp<T, Sum>);     \
  REGISTER_KERNEL(Kernel("SparseDenseCwiseMul").OnCpu().Type<T>("T"), SparseDenseOp<T, Product>); \
  REGISTER_KERNEL(Kernel("SparseDenseCwiseDiv").OnCpu().Type<T>("T"), SparseDenseOp<T, Quotient>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("SparseSoftmax").OnCpu().Type<T>("T"), SparseSoftmaxOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
