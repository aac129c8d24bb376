// Sqrt and Rsqrt with their gradients.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Sqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Rsqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("SqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("RsqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

#define REGISTER(T)                                                                            \
  REGISTER_KERNEL(Kernel("Sqrt").OnCpu().Type<T>("T"), UnaryKernel<RunUnary<functor::Sqrt, T>>);   \
  REGISTER_KERNEL(Kernel("Rsqrt").OnCpu().Type<T>("T"), UnaryKernel<RunUnary<functor::Rsqrt, T>>); \
  REGISTER_KERNEL(Kernel("SqrtGrad").OnCpu().Type<T>("T"),                                         \
                  SameShapeKernel<RunBinary<functor::SqrtGrad, T>>);                               \
  REGISTER_KERNEL(Kernel("RsqrtGrad").OnCpu().Type<T>("T"),                                        \
                  SameShapeKernel<RunBinary<functor::RsqrtGrad, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
