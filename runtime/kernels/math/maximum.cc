// Maximum and Minimum with broadcasting; NaN in either operand gives NaN.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Maximum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, int32, int64, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("Minimum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, int32, int64, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

#define REGISTER(T)                                        \
  REGISTER_KERNEL(Kernel("Maximum").OnCpu().Type<T>("T"),  \
                  BinaryKernel<RunBinary<functor::Maximum, T>>); \
  REGISTER_KERNEL(Kernel("Minimum").OnCpu().Type<T>("T"),  \
                  BinaryKernel<RunBinary<functor::Minimum, T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
