// Tanh, Sigmoid and Softplus with their gradients.
#include "graph/shape_context.h"
#include "kernels/math/eltwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Tanh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Sigmoid")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Softplus")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("TanhGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("SigmoidGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("SoftplusGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_KERNEL(Kernel("Tanh").OnCpu().Type<float>("T"),
                EltwiseKernel<RunUnary<functor::Tanh, float>, Eltwise::kTanh>);
REGISTER_KERNEL(Kernel("Sigmoid").OnCpu().Type<float>("T"),
                EltwiseKernel<RunUnary<functor::Sigmoid, float>, Eltwise::kSigmoid>);

#define REGISTER_UNARY(OP, T)                       \
  REGISTER_KERNEL(Kernel(#OP).OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<functor::OP, T>, kMathGrain>);
#define REGISTER(T)           \
  REGISTER_UNARY(Tanh, T)     \
  REGISTER_UNARY(Sigmoid, T)
REGISTER(double)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

#define REGISTER(T)                                                      \
  REGISTER_UNARY(Softplus, T)                                            \
  REGISTER_KERNEL(Kernel("TanhGrad").OnCpu().Type<T>("T"),               \
                  SameShapeKernel<RunBinary<functor::TanhGrad, T>>);     \
  REGISTER_KERNEL(Kernel("SigmoidGrad").OnCpu().Type<T>("T"),            \
                  SameShapeKernel<RunBinary<functor::SigmoidGrad, T>>);  \
  REGISTER_KERNEL(Kernel("SoftplusGrad").OnCpu().Type<T>("T"),           \
                  SameShapeKernel<RunBinary<functor::SoftplusGrad, T>, kMathGrain>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
