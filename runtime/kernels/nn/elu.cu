// Elu, Softsign and their gradients on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"
#include "kernels/nn/activations.h"

namespace tfbuild {
namespace {

#define REGISTER_ONE(NAME, T)                                       \
  REGISTER_KERNEL(Kernel(#NAME).OnGpu().Type<T>("T"),               \
                  CudaUnaryOp<CudaUnary<functor::NAME, T>>);        \
  REGISTER_KERNEL(Kernel(#NAME "Grad").OnGpu().Type<T>("T"),        \
                  CudaSameShapeOp<CudaBinary<functor::NAME##Grad, T>>);
#define REGISTER(T) REGISTER_ONE(Elu, T) REGISTER_ONE(Softsign, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
