// Selu and its gradient: scaled exponential linear units, by Klambauer et al. (NIPS 2017).
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "kernels/nn/activations.h"

namespace tfbuild {
namespace {

REGISTER_OP("Selu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("SeluGrad")
    .Input("gradients: T")
    .Input("outputs: T")
    .Output("backprops: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(UnchangedShape);

#define REGISTER(T)                                                          \
  REGISTER_KERNEL(Kernel("Selu").OnCpu().Type<T>("T"),                       \
                  UnaryKernel<RunUnary<functor::Selu, T>, kMathGrain>);             \
  REGISTER_KERNEL(Kernel("SeluGrad").OnCpu().Type<T>("T"),                   \
                  SameShapeKernel<RunBinary<functor::SeluGrad, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
