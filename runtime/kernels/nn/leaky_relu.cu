// LeakyRelu and LeakyReluGrad on a GPU.
#include "kernels/framework/cuda_launch.cuh"

namespace tfbuild {
namespace {

// to[i] = from[i], times alpha where sign[i] is not positive.
template <typename T>
__global__ void LeakyReluKernel(int64_t count, ComputeTypeOf<T> alpha, const T* from, const T* sign,
                                T* to) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const C value = Widen(from[i]);
    to[i] = Narrow<T>::From(static_cast<C>(Widen(sign[i])) > C(0) ? value : value * alpha);
  }
}

// Input 0 holds the values, and the last input their signs: itself, or the features.
template <typename T>
class CudaLeakyReluOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(alpha_, construction.Attr<float>("alpha"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& from = context->input(0);
    const Tensor& sign = context->input(context->num_inputs() - 1);
    if (from.shape() != sign.shape()) {
      return InvalidArgument("gradients and features must have the same shape, not ", from.shape(),
                             " and ", sign.shape());
    }
    const T* values = from.data<T>();
    const T* signs = sign.data<T>();
    const int64_t count = from.num_elements();
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, from.shape()));
    if (count == 0) return OkStatus();
    const auto alpha = static_cast<ComputeTypeOf<T>>(T(alpha_));  // rounded as the values are
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count), LeakyReluKernel<T>, count, alpha, values, signs,
                  output->mutable_data<T>());
  }

 private:
  float alpha_ = 0;
};

#define REGISTER(T)                                                                   \
  REGISTER_KERNEL(Kernel("LeakyRelu").OnGpu().Type<T>("T"), CudaLeakyReluOp<T>);      \
  REGISTER_KERNEL(Kernel("LeakyReluGrad").OnGpu().Type<T>("T"), CudaLeakyReluOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
