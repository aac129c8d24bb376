// Relu6 and Relu6Grad on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"
#include "kernels/nn/activations.h"

namespace tfbuild {
namespace {

#define REGISTER(T)                                                    \
  REGISTER_KERNEL(Kernel("Relu6").OnGpu().Type<T>("T"),                 \
                  CudaUnaryOp<CudaUnary<functor::Relu6, T>>);           \
  REGISTER_KERNEL(Kernel("Relu6Grad").OnGpu().Type<T>("T"),             \
                  CudaSameShapeOp<CudaBinary<functor::Relu6Grad, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
