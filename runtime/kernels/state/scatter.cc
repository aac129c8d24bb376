// ScatterUpdate, ScatterAdd, ScatterSub, ScatterMul, ScatterDiv, ScatterMin and ScatterMax: change
// the rows of a variable that indices name, in their order. ScatterNdUpdate, ScatterNdAdd and
// ScatterNdSub do so to slices that several coordinates name.
#include <algorithm>
#include <string>

#include "graph/shape_context.h"
#include "kernels/framework/checked_indices.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/ref_inputs.h"

namespace tfbuild {
namespace {

Status ScatterShape(ShapeContext* context) {
  const PartialShape& ref = context->input(0);
  const PartialShape& indices = context->input(1);
  const PartialShape& updates = context->input(2);
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  if (ref.known_rank() && indices.known_rank() && updates.rank() != 0) {
    std::vector<int64_t> dims = indices.dims();
    dims.insert(dims.end(), ref.dims().begin() + 1, ref.dims().end());
    RETURN_IF_ERROR(PartialShape(std::move(dims)).MergeWith(updates).status());
  }
  context->set_output(0, ref);
  return OkStatus();
}

Status ScatterNdShape(ShapeContext* context) {
  const PartialShape& ref = context->input(0);
  const PartialShape& indices = context->input(1);
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 1));
  if (ref.known_rank() && indices.known_rank() && indices.dims().back() != kUnknownDim) {
    const int64_t depth = indices.dims().back();
    if (depth > ref.rank()) {
      return InvalidArgument("indices of ", depth, " coordinates do not fit a variable of rank ",
                             ref.rank());
    }
    std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
    dims.insert(dims.end(), ref.dims().begin() + depth, ref.dims().end());
    RETURN_IF_ERROR(PartialShape(std::move(dims)).MergeWith(context->input(2)).status());
  }
  context->set_output(0, ref);
  return OkStatus();
}

#define TFBUILD_NUMBERS "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}"
#define TFBUILD_SCATTER_OP(NAME, TYPES, LOCKING, SHAPE)   \
  REGISTER_OP(NAME)                                       \
      .Input("ref: Ref(T)")                               \
      .Input("indices: Tindices")                         \
      .Input("updates: T")                                \
      .Output("output_ref: Ref(T)")                       \
      .Attr(TYPES)                                        \
      .Attr("Tindices: {int32, int64}")                   \
      .Attr(LOCKING)                                      \
      .ShapeFunction(SHAPE)

TFBUILD_SCATTER_OP("ScatterUpdate", "T: type", "use_locking: bool = true", ScatterShape);
TFBUILD_SCATTER_OP("ScatterAdd", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterShape);
TFBUILD_SCATTER_OP("ScatterSub", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterShape);
TFBUILD_SCATTER_OP("ScatterMul", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterShape);
TFBUILD_SCATTER_OP("ScatterDiv", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterShape);
TFBUILD_SCATTER_OP("ScatterMin", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterShape);
TFBUILD_SCATTER_OP("ScatterMax", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterShape);
TFBUILD_SCATTER_OP("ScatterNdUpdate", "T: type", "use_locking: bool = true", ScatterNdShape);
TFBUILD_SCATTER_OP("ScatterNdAdd", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterNdShape);
TFBUILD_SCATTER_OP("ScatterNdSub", TFBUILD_NUMBERS, "use_locking: bool = false", ScatterNdShape);

// The new value, whatever was there.
struct Replace {
  template <typename T>
  static T Apply(const T&, const T& y) { return y; }
};

// The rows of a variable of that shape that `indices` name, as slices.
Result<NdSlices> CheckedRows(const Tensor& indices, const Shape& shape) {
  if (shape.rank() < 1) return InvalidArgument("a scalar variable has no rows");
  NdSlices rows;
  ASSIGN_OR_RETURN(rows.starts, CheckedIndices(indices, shape.dim(0)));
  rows.width = shape.dim(0) == 0 ? 0 : shape.num_elements() / shape.dim(0);
  for (int64_t& start : rows.starts) start *= rows.width;
  rows.dims = indices.shape().dims();
  rows.dims.insert(rows.dims.end(), shape.dims().begin() + 1, shape.dims().end());
  return rows;
}

// For strings and numbers alike; arithmetic is done as it is everywhere, wide for halves.
template <typename T, typename F>
T Combined(const T& before, const T& update) {
  if constexpr (std::is_same<F, Replace>::value) {
    return update;
  } else {
    using C = ComputeTypeOf<T>;
    return T(F::Apply(static_cast<C>(before), static_cast<C>(update)));
  }
}

template <typename T, typename F, bool kNd>
class ScatterOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables lock, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values, MutableValues(context, 1));
    const Tensor& indices = context->input(1);
    const Tensor& updates = context->input(2);
    ASSIGN_OR_RETURN(const NdSlices slices, kNd ? CheckedNdSlices(indices, values[0]->shape())
                                                : CheckedRows(indices, values[0]->shape()));
    const bool same = !kNd && updates.rank() == 0;  // one number for all elements
    if (!same && updates.shape().dims() != slices.dims) {
      ASSIGN_OR_RETURN(const Shape expected, Shape::Make(slices.dims));
      return InvalidArgument("updates must have the shape ", expected, " for indices of shape ",
                             indices.shape(), " and a variable of shape ", values[0]->shape(),
                             ", not ", updates.shape());
    }
    const T* from = updates.data<T>();
    T* to = values[0]->mutable_data<T>();
    for (const int64_t start : slices.starts) {
      for (int64_t j = 0; j < slices.width; ++j) {
        to[start + j] = Combined<T, F>(to[start + j], same ? *from : from[j]);
      }
      if (!same) from += slices.width;
    }
    context->SetOutputVariable(0, context->input_variable(0));
    return OkStatus();
  }
};

#define REGISTER_ONE(NAME, T, F, ND) \
  REGISTER_KERNEL(Kernel(NAME).OnCpu().Type<T>("T"), ScatterOp<T, F, ND>);
#define REGISTER_REPLACE(T)                         \
  REGISTER_ONE("ScatterUpdate", T, Replace, false)  \
  REGISTER_ONE("ScatterNdUpdate", T, Replace, true)
#define REGISTER(T)                                      \
  REGISTER_REPLACE(T)                                    \
  REGISTER_ONE("ScatterAdd", T, functor::Add, false)     \
  REGISTER_ONE("ScatterSub", T, functor::Sub, false)     \
  REGISTER_ONE("ScatterMul", T, functor::Mul, false)     \
  REGISTER_ONE("ScatterDiv", T, functor::Div, false)     \
  REGISTER_ONE("ScatterMin", T, functor::Minimum, false) \
  REGISTER_ONE("ScatterMax", T, functor::Maximum, false) \
  REGISTER_ONE("ScatterNdAdd", T, functor::Add, true)    \
  REGISTER_ONE("ScatterNdSub", T, functor::Sub, true)
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER_REPLACE(bool)
REGISTER_REPLACE(std::string)
#undef REGISTER
#undef REGISTER_REPLACE
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
