// Floor, Ceil and IsNan.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Floor")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Ceil")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("IsNan")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("Floor").OnCpu().Type<T>("T"), UnaryKernel<RunUnary<functor::Floor, T>>); \
  REGISTER_KERNEL(Kernel("Ceil").OnCpu().Type<T>("T"), UnaryKernel<RunUnary<functor::Ceil, T>>);   \
  REGISTER_KERNEL(Kernel("IsNan").OnCpu().Type<T>("T"),                                            \
                  UnaryKernel<RunUnary<functor::IsNan, T, bool>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
