// Exp, Log, Log1p and Erf.
#include "graph/shape_context.h"
#include "kernels/math/eltwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Exp")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Log")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Log1p")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Erf")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_KERNEL(Kernel("Exp").OnCpu().Type<float>("T"),
                EltwiseKernel<RunUnary<functor::Exp, float>, Eltwise::kExp>);
REGISTER_KERNEL(Kernel("Log").OnCpu().Type<float>("T"),
                EltwiseKernel<RunUnary<functor::Log, float>, Eltwise::kLog>);

#define REGISTER_UNARY(OP, T)                       \
  REGISTER_KERNEL(Kernel(#OP).OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<functor::OP, T>, kMathGrain>);
#define REGISTER(T)       \
  REGISTER_UNARY(Exp, T)  \
  REGISTER_UNARY(Log, T)
REGISTER(double)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER
#define REGISTER(T)        \
  REGISTER_UNARY(Log1p, T) \
  REGISTER_UNARY(Erf, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
