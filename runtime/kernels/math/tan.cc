// Tan, the inverse and hyperbolic functions, Atan2, and products with a logarithm that are zero
// where the factor is.
#include <algorithm>

#include "kernels/framework/families.h"
#include "kernels/math/library_functions.h"

namespace tfbuild {
namespace {

// math/complex_functions.cc has complex kernels of them.
#define TFBUILD_LIBRARY_OP(NAME)                          \
  REGISTER_OP(#NAME)                                      \
      .Input("x: T")                                      \
      .Output("y: T")                                     \
      .Attr("T: {bfloat16, half, float, double, complex64, complex128}") \
      .ShapeFunction(UnchangedShape);                     \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, float)                  \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, double)                 \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, Half)                   \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, BFloat16)
#define TFBUILD_OF_LIBRARY_KERNEL(NAME, T)            \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<functor::NAME, T>, kMathGrain>);

TFBUILD_LIBRARY_OP(Tan)
TFBUILD_LIBRARY_OP(Asin)
TFBUILD_LIBRARY_OP(Acos)
TFBUILD_LIBRARY_OP(Atan)
TFBUILD_LIBRARY_OP(Sinh)
TFBUILD_LIBRARY_OP(Cosh)
TFBUILD_LIBRARY_OP(Asinh)
TFBUILD_LIBRARY_OP(Acosh)
TFBUILD_LIBRARY_OP(Atanh)

REGISTER_OP("Atan2").Input("y: T").Input("x: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Xdivy").Input("x: T").Input("y: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Xlogy").Input("x: T").Input("y: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Xlog1py").Input("x: T").Input("y: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("TruncateMod").Input("x: T").Input("y: T").Output("z: T")
    .Attr("T: {int32, int64, bfloat16, half, float, double}")
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("TruncateDiv").Input("x: T").Input("y: T").Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

// Division of integers: a zero among the divisors is an error.
template <typename T, BinaryLoop kLoop>
class IntegerTruncationOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& divisors = context->input(1);
    const T* begin = divisors.data<T>();
    const T* end = begin + divisors.num_elements();
    if (context->input(0).num_elements() > 0 && std::find(begin, end, T(0)) != end) {
      return InvalidArgument("Integer division by zero");
    }
    return ComputeBinary(context, kLoop, kMathGrain);
  }
};

#define REGISTER_TWO(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnCpu().Type<T>("T"), BinaryKernel<RunBinary<functor::OP, T>, kMathGrain>);
#define REGISTER(T)            \
  REGISTER_TWO(Atan2, T)       \
  REGISTER_TWO(Xdivy, T)       \
  REGISTER_TWO(Xlogy, T)       \
  REGISTER_TWO(Xlog1py, T)     \
  REGISTER_TWO(TruncateDiv, T) \
  REGISTER_TWO(TruncateMod, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_TWO

#define REGISTER(T)                                           \
  REGISTER_KERNEL(Kernel("TruncateDiv").OnCpu().Type<T>("T"), \
                  IntegerTruncationOp<T, RunBinary<functor::TruncateDiv, T>>);
TFBUILD_INTEGER_TYPES(REGISTER)
#undef REGISTER
REGISTER_KERNEL(Kernel("TruncateMod").OnCpu().Type<int32_t>("T"),
                IntegerTruncationOp<int32_t, RunBinary<functor::TruncateMod, int32_t>>);
REGISTER_KERNEL(Kernel("TruncateMod").OnCpu().Type<int64_t>("T"),
                IntegerTruncationOp<int64_t, RunBinary<functor::TruncateMod, int64_t>>);

}  // namespace
}  // namespace tfbuild
