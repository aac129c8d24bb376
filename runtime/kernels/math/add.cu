// Arithmetic with broadcasting on a GPU: sums and differences, products, quotients, powers, maxima.
#include "kernels/framework/cuda_elementwise.cuh"

namespace tfbuild {
namespace {

#define REGISTER_BINARY(name, formula, T)               \
  REGISTER_KERNEL(Kernel(name).OnGpu().Type<T>("T"),    \
                  CudaBinaryOp<CudaBinary<functor::formula, T>>);
#define REGISTER(T)                                 \
  REGISTER_BINARY("Add", Add, T)                    \
  REGISTER_BINARY("AddV2", Add, T)                  \
  REGISTER_BINARY("Sub", Sub, T)                    \
  REGISTER_BINARY("Mul", Mul, T)                    \
  REGISTER_BINARY("Maximum", Maximum, T)            \
  REGISTER_BINARY("Minimum", Minimum, T)            \
  REGISTER_BINARY("SquaredDifference", SquaredDifference, T)
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER

// Integers are divided on the CPU, where a divisor of 0 is an error.
#define REGISTER(T)                                 \
  REGISTER_BINARY("Div", Div, T)                    \
  REGISTER_BINARY("RealDiv", Div, T)                \
  REGISTER_BINARY("FloorDiv", FloorDiv, T)          \
  REGISTER_BINARY("FloorMod", FloorMod, T)          \
  REGISTER_BINARY("Pow", Pow, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_BINARY

}  // namespace
}  // namespace tfbuild
