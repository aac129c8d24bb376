// Div, RealDiv, FloorDiv and FloorMod with broadcasting.
#include <algorithm>

#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

REGISTER_OP("Div")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
          "complex128, uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("RealDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
          "complex128}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("FloorDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("FloorMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int8, int16, int32, int64, uint8, bfloat16, half, float, double, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

// Division of integers: a zero among the divisors is an error.
template <typename T, BinaryLoop loop>
class IntegerDivisionOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& divisors = context->input(1);
    const T* begin = divisors.data<T>();
    const T* end = begin + divisors.num_elements();
    if (context->input(0).num_elements() > 0 && std::find(begin, end, T(0)) != end) {
      return InvalidArgument("Integer division by zero");
    }
    return ComputeBinary(context, loop, kMathGrain);
  }
};

#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("Div").OnCpu().Type<T>("T"), BinaryKernel<RunBinary<functor::Div, T>>); \
  REGISTER_KERNEL(Kernel("RealDiv").OnCpu().Type<T>("T"),                                        \
                  BinaryKernel<RunBinary<functor::Div, T>>);                                     \
  REGISTER_KERNEL(Kernel("FloorDiv").OnCpu().Type<T>("T"),                                       \
                  BinaryKernel<RunBinary<functor::FloorDiv, T>>);                                \
  REGISTER_KERNEL(Kernel("FloorMod").OnCpu().Type<T>("T"),                                       \
                  BinaryKernel<RunBinary<functor::FloorMod, T>, kMathGrain>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T)                                                             \
  REGISTER_KERNEL(Kernel("Div").OnCpu().Type<T>("T"),                           \
                  IntegerDivisionOp<T, RunBinary<functor::Div, T>>);            \
  REGISTER_KERNEL(Kernel("FloorDiv").OnCpu().Type<T>("T"),                      \
                  IntegerDivisionOp<T, RunBinary<functor::FloorDiv, T>>);       \
  REGISTER_KERNEL(Kernel("FloorMod").OnCpu().Type<T>("T"),                      \
                  IntegerDivisionOp<T, RunBinary<functor::FloorMod, T>>);
TFBUILD_INTEGER_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("Div").OnCpu().Type<T>("T"), BinaryKernel<RunBinary<functor::Div, T>>); \
  REGISTER_KERNEL(Kernel("RealDiv").OnCpu().Type<T>("T"),                                        \
                  BinaryKernel<RunBinary<functor::Div, T>>);
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
