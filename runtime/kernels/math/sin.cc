// Sin, Cos and Expm1.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Sin")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Cos")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Expm1")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

#define REGISTER_UNARY(OP, T)                       \
  REGISTER_KERNEL(Kernel(#OP).OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<functor::OP, T>, kMathGrain>);
#define REGISTER(T)      \
  REGISTER_UNARY(Sin, T) \
  REGISTER_UNARY(Cos, T) \
  REGISTER_UNARY(Expm1, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
