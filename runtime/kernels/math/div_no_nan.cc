// DivNoNan: division with broadcasting that gives zero where the divisor is zero.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("DivNoNan")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, float, bfloat16, double}")
    .ShapeFunction(BroadcastBinaryShape);

#define REGISTER(T)                                        \
  REGISTER_KERNEL(Kernel("DivNoNan").OnCpu().Type<T>("T"), \
                  BinaryKernel<RunBinary<functor::DivNoNan, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
