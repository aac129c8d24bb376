// TensorScatterUpdate, -Add and -Sub, ScatterNdNonAliasingAdd: a tensor with some of its slices changed.
#include <string>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/checked_indices.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status TensorScatterShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 1));
  const PartialShape &tensor = context->input(0), &indices = context->input(1);
  context->set_output(0, tensor);
  if (!tensor.known_rank() || !indices.known_rank()) return OkStatus();
  const int64_t depth = indices.dims().back();
  if (depth == kUnknownDim) return OkStatus();
  if (depth > tensor.rank()) {
    return InvalidArgument("indices of ", depth, " coordinates do not fit a tensor of rank ",
                           tensor.rank());
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), tensor.dims().begin() + depth, tensor.dims().end());
  return PartialShape(std::move(dims)).MergeWith(context->input(2)).status();
}

#define DEFINE(name, tensor)                  \
  REGISTER_OP(name)                           \
      .Input(tensor ": T")                    \
      .Input("indices: Tindices")             \
      .Input("updates: T")                    \
      .Output("output: T")                    \
      .Attr("T: type")                        \
      .Attr("Tindices: {int32, int64}")       \
      .Attr("bad_indices_policy: string = ''") \
      .ShapeFunction(TensorScatterShape)
DEFINE("TensorScatterUpdate", "tensor");
DEFINE("TensorScatterAdd", "tensor");
DEFINE("TensorScatterSub", "tensor");
DEFINE("ScatterNdNonAliasingAdd", "input");
#undef DEFINE

struct Replace {
  template <typename T>
  static T Apply(const T&, const T& update) { return update; }
};
struct Sum {
  template <typename T>
  static T Apply(const T& a, const T& b) { return functor::Add::Apply(a, b); }
};
struct Difference {
  template <typename T>
  static T Apply(const T& a, const T& b) { return functor::Sub::Apply(a, b); }
};

template <typename T, typename Functor>
class TensorScatterOp final : public NdSlicesKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor &tensor = context->input(0), &updates = context->input(2);
    ASSIGN_OR_RETURN(const NdSlices slices,
                     CheckedNdSlices(context->input(1), tensor.shape(), bad_indices_));
    const std::vector<int64_t> given = updates.shape().dims();
    if (given != slices.dims) {
      ASSIGN_OR_RETURN(const Shape wanted, Shape::Make(slices.dims));
      return InvalidArgument("updates has shape ", updates.shape(), " but the slices have ",
                             wanted);
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, tensor.shape()));
    T* out = output->mutable_data<T>();
    std::copy_n(tensor.data<T>(), tensor.num_elements(), out);
    const T* from = updates.data<T>();
    StopLook look;
    for (int64_t i = 0; i < slices.count; ++i, from += slices.width) {
      look.Turns(1 + slices.width);
      const int64_t start = slices.start(i);
      if (start == kIgnoredSlice) continue;
      for (int64_t j = 0; j < slices.width; ++j) {
        out[start + j] = Functor::Apply(out[start + j], from[j]);
      }
    }
    return OkStatus();
  }
};

#define REGISTER_ANY(T)                                              \
  REGISTER_KERNEL(Kernel("TensorScatterUpdate").OnCpu().Type<T>("T"), \
                  TensorScatterOp<T, Replace>);
#define REGISTER(T)                                                  \
  REGISTER_ANY(T)                                                    \
  REGISTER_KERNEL(Kernel("TensorScatterAdd").OnCpu().Type<T>("T"),   \
                  TensorScatterOp<T, Sum>);                          \
  REGISTER_KERNEL(Kernel("ScatterNdNonAliasingAdd").OnCpu().Type<T>("T"), \
                  TensorScatterOp<T, Sum>);                          \
  REGISTER_KERNEL(Kernel("TensorScatterSub").OnCpu().Type<T>("T"),   \
                  TensorScatterOp<T, Difference>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER_ANY(bool)
REGISTER_ANY(std::string)
#undef REGISTER
#undef REGISTER_ANY

}  // namespace
}  // namespace tfbuild
