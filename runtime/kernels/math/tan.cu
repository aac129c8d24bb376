// Tan, the inverse and hyperbolic functions, and those of tan.cc with two arguments, on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"
#include "kernels/math/library_functions.h"

namespace tfbuild {
namespace {

#define REGISTER_UNARY(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), CudaUnaryOp<CudaUnary<functor::OP, T>>);
#define REGISTER_BINARY(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), CudaBinaryOp<CudaBinary<functor::OP, T>>);
#define REGISTER(T)               \
  REGISTER_UNARY(Tan, T)          \
  REGISTER_UNARY(Asin, T)         \
  REGISTER_UNARY(Acos, T)         \
  REGISTER_UNARY(Atan, T)         \
  REGISTER_UNARY(Sinh, T)         \
  REGISTER_UNARY(Cosh, T)         \
  REGISTER_UNARY(Asinh, T)        \
  REGISTER_UNARY(Acosh, T)        \
  REGISTER_UNARY(Atanh, T)        \
  REGISTER_BINARY(Atan2, T)       \
  REGISTER_BINARY(Xdivy, T)       \
  REGISTER_BINARY(Xlogy, T)       \
  REGISTER_BINARY(Xlog1py, T)     \
  REGISTER_BINARY(TruncateDiv, T) \
  REGISTER_BINARY(TruncateMod, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_BINARY
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
