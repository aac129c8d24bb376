// Relu and ReluGrad on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"

namespace tfbuild {
namespace {

#define REGISTER(T)                                                    \
  REGISTER_KERNEL(Kernel("Relu").OnGpu().Type<T>("T"),                 \
                  CudaUnaryOp<CudaUnary<functor::Relu, T>>);           \
  REGISTER_KERNEL(Kernel("ReluGrad").OnGpu().Type<T>("T"),             \
                  CudaSameShapeOp<CudaBinary<functor::ReluGrad, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
