// Cheap functions of one argument on a GPU: signs, powers, roots and rounding, with their gradients.
#include "kernels/framework/cuda_elementwise.cuh"

namespace tfbuild {
namespace {

#define REGISTER_UNARY(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), CudaUnaryOp<CudaUnary<functor::OP, T>>);
#define REGISTER_GRAD(OP, T)                        \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), \
                  CudaSameShapeOp<CudaBinary<functor::OP, T>>);
#define REGISTER(T)       \
  REGISTER_UNARY(Neg, T)  \
  REGISTER_UNARY(Abs, T)  \
  REGISTER_UNARY(Sign, T) \
  REGISTER_UNARY(Square, T)
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER

#define REGISTER(T)                                     \
  REGISTER_UNARY(Reciprocal, T)                         \
  REGISTER_UNARY(Sqrt, T)                               \
  REGISTER_UNARY(Rsqrt, T)                              \
  REGISTER_UNARY(Floor, T)                              \
  REGISTER_UNARY(Ceil, T)                               \
  REGISTER_GRAD(ReciprocalGrad, T)                      \
  REGISTER_GRAD(SqrtGrad, T)                            \
  REGISTER_GRAD(RsqrtGrad, T)                           \
  REGISTER_KERNEL(Kernel("IsNan").OnGpu().Type<T>("T"), \
                  CudaUnaryOp<CudaUnary<functor::IsNan, T, bool>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_GRAD
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
