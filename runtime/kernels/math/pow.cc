// Pow with broadcasting.
#include <algorithm>

#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Pow")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, float, half, double, int8, int16, int32, int64}")
    .ShapeFunction(BroadcastBinaryShape);

template <typename T>
class IntegerPowOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& exponents = context->input(1);
    const T* begin = exponents.data<T>();
    const T* end = begin + exponents.num_elements();
    const bool negative = std::any_of(begin, end, [](T exponent) { return exponent < 0; });
    if (negative && context->input(0).num_elements() > 0) {
      return InvalidArgument("Integers to negative integer powers are not allowed");
    }
    return ComputeBinary(context, RunBinary<functor::Pow, T>, kMathGrain);
  }
};

#define REGISTER(T)                                   \
  REGISTER_KERNEL(Kernel("Pow").OnCpu().Type<T>("T"), \
                  BinaryKernel<RunBinary<functor::Pow, T>, kMathGrain>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T) REGISTER_KERNEL(Kernel("Pow").OnCpu().Type<T>("T"), IntegerPowOp<T>);
REGISTER(int8_t)
REGISTER(int16_t)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
