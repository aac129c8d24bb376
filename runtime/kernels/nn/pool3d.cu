// MaxPool3D and AvgPool3D with their gradients on a GPU.
#include "kernels/nn/pooling.cuh"

namespace tfbuild {
namespace {

#define REGISTER_AVERAGE(T)                                                                    \
  REGISTER_KERNEL(Kernel("AvgPool3D").OnGpu().Type<T>("T"),                                    \
                  CudaForwardPoolOp<T, VolumePooling, Pooled::kAverage>);                      \
  REGISTER_KERNEL(Kernel("AvgPool3DGrad").OnGpu().Type<T>("T").HostMemory("orig_input_shape"), \
                  CudaAverageGradientOp<T, VolumePooling>);
TFBUILD_FLOATING_TYPES(REGISTER_AVERAGE)
#undef REGISTER_AVERAGE

#define REGISTER_MAXIMUM(T)                                                       \
  REGISTER_KERNEL(Kernel("MaxPool3D").OnGpu().Type<T>("T"),                       \
                  CudaForwardPoolOp<T, VolumePooling, Pooled::kMaximum>);         \
  REGISTER_KERNEL(Kernel("MaxPool3DGrad").OnGpu().Type<T>("T").Type<T>("TInput"), \
                  CudaMaximumGradientOp<T, VolumePooling>);
REGISTER_MAXIMUM(float)
REGISTER_MAXIMUM(Half)
REGISTER_MAXIMUM(BFloat16)
#undef REGISTER_MAXIMUM

}  // namespace
}  // namespace tfbuild
