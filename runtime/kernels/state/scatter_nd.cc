// ScatterNdUpdate, ScatterNdAdd and ScatterNdSub, for references and for handles: slices of a
// variable change, those that several coordinates name.
#include <string>
#include <type_traits>

#include "graph/shape_context.h"
#include "kernels/framework/checked_indices.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status SlicesFit(const PartialShape& variable, const PartialShape& indices,
                  const PartialShape& updates) {
  if (!variable.known_rank() || !indices.known_rank()) return OkStatus();
  const int64_t depth = indices.dims().back();
  if (depth == kUnknownDim) return OkStatus();
  if (depth > variable.rank()) {
    return InvalidArgument("indices of ", depth, " coordinates do not fit a variable of rank ",
                           variable.rank());
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), variable.dims().begin() + depth, variable.dims().end());
  return PartialShape(std::move(dims)).MergeWith(updates).status();
}

Status SlicesReferenceShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 1));
  RETURN_IF_ERROR(SlicesFit(context->input(0), context->input(1), context->input(2)));
  context->set_output(0, context->input(0));
  return OkStatus();
}

Status SlicesHandleShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 1));
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("T"));
  ASSIGN_OR_RETURN(const PartialShape variable, context->variable_shape(0, dtype));
  return SlicesFit(variable, context->input(1), context->input(2));
}

#define TFBUILD_SCATTER_ND_OP(name, types, locking) \
  REGISTER_OP(name)                                 \
      .Input("ref: Ref(T)")                         \
      .Input("indices: Tindices")                   \
      .Input("updates: T")                          \
      .Output("output_ref: Ref(T)")                 \
      .Attr("T: " types)                            \
      .Attr("Tindices: {int32, int64}")             \
      .Attr("use_locking: bool = " locking)         \
      .Attr("bad_indices_policy: string = ''")      \
      .ShapeFunction(SlicesReferenceShape);
#define TFBUILD_RESOURCE_SCATTER_ND_OP(name, types) \
  REGISTER_OP(name)                                 \
      .Input("ref: resource")                       \
      .Input("indices: Tindices")                   \
      .Input("updates: T")                          \
      .Attr("T: " types)                            \
      .Attr("Tindices: {int32, int64}")             \
      .Attr("use_locking: bool = true")             \
      .Attr("bad_indices_policy: string = ''")      \
      .Stateful()                                   \
      .ShapeFunction(SlicesHandleShape);
#define NUMBERS \
  "{float, double, int32, uint8, int16, int8, int64, bfloat16, half, uint16, uint32, uint64}"
TFBUILD_SCATTER_ND_OP("ScatterNdUpdate", "type", "true")
TFBUILD_SCATTER_ND_OP("ScatterNdAdd", NUMBERS, "false")
TFBUILD_SCATTER_ND_OP("ScatterNdSub", NUMBERS, "false")
TFBUILD_RESOURCE_SCATTER_ND_OP("ResourceScatterNdUpdate", "type")
TFBUILD_RESOURCE_SCATTER_ND_OP("ResourceScatterNdAdd", NUMBERS)
TFBUILD_RESOURCE_SCATTER_ND_OP("ResourceScatterNdSub", NUMBERS)
#undef NUMBERS

// The new value, whatever was there.
struct Replace {};

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

template <typename T, typename F>
class ScatterNdOp final : public NdSlicesKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    const Tensor& updates = context->input(2);
    ASSIGN_OR_RETURN(const NdSlices slices,
                     CheckedNdSlices(context->input(1), values[0]->shape(), bad_indices_));
    if (std::vector<int64_t>(updates.shape().dims()) != slices.dims) {
      ASSIGN_OR_RETURN(const Shape expected, Shape::Make(slices.dims));
      return InvalidArgument("updates must have the shape ", expected, " for indices of shape ",
                             context->input(1).shape(), " and a variable of shape ",
                             values[0]->shape(), ", not ", updates.shape());
    }
    const T* from = updates.data<T>();
    T* to = values[0]->mutable_data<T>();
    for (int64_t i = 0; i < slices.count; ++i, from += slices.width) {
      const int64_t start = slices.start(i);
      if (start == kIgnoredSlice) continue;
      for (int64_t j = 0; j < slices.width; ++j) {
        to[start + j] = Combined<T, F>(to[start + j], from[j]);
      }
    }
    ForwardReference(context);
    return OkStatus();
  }
};

#define REGISTER_ONE(NAME, T, F)                                                       \
  REGISTER_KERNEL(Kernel("ScatterNd" NAME).OnCpu().Type<T>("T"), ScatterNdOp<T, F>);   \
  REGISTER_KERNEL(Kernel("ResourceScatterNd" NAME).OnCpu().Type<T>("T"), ScatterNdOp<T, F>);
#define REGISTER(T)                      \
  REGISTER_ONE("Update", T, Replace)     \
  REGISTER_ONE("Add", T, functor::Add)   \
  REGISTER_ONE("Sub", T, functor::Sub)
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER_ONE("Update", bool, Replace)
REGISTER_ONE("Update", std::string, Replace)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
