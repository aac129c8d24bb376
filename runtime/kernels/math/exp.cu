// Functions of one argument on a GPU that take some computing: exponentials, logarithms and what is
// made of them, with their gradients.
#include "kernels/framework/cuda_elementwise.cuh"

namespace tfbuild {
namespace {

#define REGISTER_UNARY(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), CudaUnaryOp<CudaUnary<functor::OP, T>>);
#define REGISTER_GRAD(OP, T)                        \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), \
                  CudaSameShapeOp<CudaBinary<functor::OP, T>>);
#define REGISTER(T)             \
  REGISTER_UNARY(Exp, T)        \
  REGISTER_UNARY(Log, T)        \
  REGISTER_UNARY(Log1p, T)      \
  REGISTER_UNARY(Erf, T)        \
  REGISTER_UNARY(Tanh, T)       \
  REGISTER_UNARY(Sigmoid, T)    \
  REGISTER_UNARY(Softplus, T)   \
  REGISTER_GRAD(TanhGrad, T)    \
  REGISTER_GRAD(SigmoidGrad, T) \
  REGISTER_GRAD(SoftplusGrad, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_GRAD
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
