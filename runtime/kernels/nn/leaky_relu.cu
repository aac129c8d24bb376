// LeakyRelu and LeakyReluGrad on a GPU.
#include "kernels/nn/leaky_relu.h"

#include "kernels/framework/cuda_launch.cuh"

namespace tfbuild {
namespace {

template <typename T>
__global__ void LeakyReluKernel(LeakyTask<T> task) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < task.count; i += IndexStep()) {
    const C value = Widen(task.from[i]);
    const C sign = Widen(task.sign[i]);
    task.to[i] = Narrow<T>::From(sign > C(0) ? value : value * task.alpha);
  }
}

template <typename T>
Status RunLeaky(OpKernelContext* context, const LeakyTask<T>& task) {
  CudaDevice* device = CudaDeviceOf(context);
  return Launch(device, LoopOver(*device, task.count), LeakyReluKernel<T>, task);
}

#define REGISTER(T)                                                                           \
  REGISTER_KERNEL(Kernel("LeakyRelu").OnGpu().Type<T>("T"), LeakyReluOp<T, RunLeaky<T>>);     \
  REGISTER_KERNEL(Kernel("LeakyReluGrad").OnGpu().Type<T>("T"), LeakyReluOp<T, RunLeaky<T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
