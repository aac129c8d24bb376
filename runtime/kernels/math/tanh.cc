// Tanh, Sigmoid and Softplus with their gradients.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

TFBUILD_COMPLEX_UNARY_OP(Tanh, kMathGrain)
TFBUILD_COMPLEX_UNARY_OP(Sigmoid, kMathGrain)
TFBUILD_GRADIENT_OP(TanhGrad)
TFBUILD_GRADIENT_OP(SigmoidGrad)

REGISTER_OP("Softplus")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("SoftplusGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(UnchangedShape);


#define REGISTER(T)                              \
  TFBUILD_UNARY_KERNEL(Softplus, T, kMathGrain)  \
  REGISTER_KERNEL(Kernel("SoftplusGrad").OnCpu().Type<T>("T"), \
                  SameShapeKernel<RunBinary<functor::SoftplusGrad, T>, kMathGrain>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
