// Relu and ReluGrad: max(x, 0) and its derivative.
#include <algorithm>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("Relu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("ReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .ShapeFunction(UnchangedShape);

constexpr int64_t kGrain = 32768;  // elements that are worth a thread

template <typename T>
class ReluOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& features = context->input(0);
    ASSIGN_OR_RETURN(Tensor * activations,
                     context->ForwardOrAllocateOutput({0}, 0, features.shape()));
    const T* in = features.data<T>();
    T* out = activations->mutable_data<T>();
    ParallelFor(features.num_elements(), kGrain, [in, out](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = in[i] < T(0) ? T(0) : in[i];
    });
    return OkStatus();
  }
};

template <typename T>
class ReluGradOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& gradients = context->input(0);
    const Tensor& features = context->input(1);
    if (gradients.shape() != features.shape()) {
      return InvalidArgument("gradients of shape ", gradients.shape(), " do not match features of ",
                             features.shape());
    }
    ASSIGN_OR_RETURN(Tensor * backprops,
                     context->ForwardOrAllocateOutput({0}, 0, gradients.shape()));
    const T* gradient = gradients.data<T>();
    const T* feature = features.data<T>();
    T* out = backprops->mutable_data<T>();
    ParallelFor(gradients.num_elements(), kGrain, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = feature[i] > T(0) ? gradient[i] : T(0);
    });
    return OkStatus();
  }
};

#define REGISTER(T)                                                 \
  REGISTER_KERNEL(Kernel("Relu").OnCpu().Type<T>("T"), ReluOp<T>);  \
  REGISTER_KERNEL(Kernel("ReluGrad").OnCpu().Type<T>("T"), ReluGradOp<T>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
