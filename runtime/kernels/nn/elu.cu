// Elu, Selu, Softsign and their gradients on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"
#include "kernels/nn/activations.h"

namespace tfbuild {
namespace {

#define REGISTER_UNARY(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), CudaUnaryOp<CudaUnary<functor::OP, T>>);
#define REGISTER_GRAD(OP, T)                        \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), \
                  CudaSameShapeOp<CudaBinary<functor::OP, T>>);
#define REGISTER(T)            \
  REGISTER_UNARY(Elu, T)       \
  REGISTER_GRAD(EluGrad, T)    \
  REGISTER_UNARY(Selu, T)      \
  REGISTER_GRAD(SeluGrad, T)   \
  REGISTER_UNARY(Softsign, T)  \
  REGISTER_GRAD(SoftsignGrad, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_GRAD
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
