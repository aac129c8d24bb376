// Less, LessEqual, Greater and GreaterEqual with broadcasting.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Less")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("LessEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("Greater")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("GreaterEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

#define REGISTER(T)                                                   \
  REGISTER_KERNEL(Kernel("Less").OnCpu().Type<T>("T"),                \
                  BinaryKernel<RunBinary<functor::Less, T, bool>>);      \
  REGISTER_KERNEL(Kernel("LessEqual").OnCpu().Type<T>("T"),           \
                  BinaryKernel<RunBinary<functor::LessEqual, T, bool>>); \
  REGISTER_KERNEL(Kernel("Greater").OnCpu().Type<T>("T"),             \
                  BinaryKernel<RunBinary<functor::Greater, T, bool>>);   \
  REGISTER_KERNEL(Kernel("GreaterEqual").OnCpu().Type<T>("T"),        \
                  BinaryKernel<RunBinary<functor::GreaterEqual, T, bool>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
