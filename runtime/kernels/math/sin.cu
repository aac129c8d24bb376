// Sin, Cos, Expm1, Round, IsInf, IsFinite and DivNoNan on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"

namespace tfbuild {
namespace {

#define REGISTER_UNARY(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), CudaUnaryOp<CudaUnary<functor::OP, T>>);
#define REGISTER_TEST(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), CudaUnaryOp<CudaUnary<functor::OP, T, bool>>);
#define REGISTER(T)           \
  REGISTER_UNARY(Sin, T)      \
  REGISTER_UNARY(Cos, T)      \
  REGISTER_UNARY(Expm1, T)    \
  REGISTER_UNARY(Round, T)    \
  REGISTER_TEST(IsInf, T)     \
  REGISTER_TEST(IsFinite, T)  \
  REGISTER_KERNEL(Kernel("DivNoNan").OnGpu().Type<T>("T"), \
                  CudaBinaryOp<CudaBinary<functor::DivNoNan, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_TEST
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
