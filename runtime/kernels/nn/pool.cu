// MaxPool and AvgPool with their gradients on a GPU.
#include "kernels/nn/pooling.cuh"

namespace tfbuild {
namespace {

#define REGISTER(T)                                                                          \
  REGISTER_KERNEL(Kernel("MaxPool").OnGpu().Type<T>("T"),                                    \
                  CudaForwardPoolOp<T, ImagePooling, Pooled::kMaximum>);                     \
  REGISTER_KERNEL(Kernel("AvgPool").OnGpu().Type<T>("T"),                                    \
                  CudaForwardPoolOp<T, ImagePooling, Pooled::kAverage>);                     \
  REGISTER_KERNEL(Kernel("MaxPoolGrad").OnGpu().Type<T>("T"),                                \
                  CudaMaximumGradientOp<T, ImagePooling>);                                   \
  REGISTER_KERNEL(Kernel("AvgPoolGrad").OnGpu().Type<T>("T").HostMemory("orig_input_shape"), \
                  CudaAverageGradientOp<T, ImagePooling>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
