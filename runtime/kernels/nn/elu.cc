// Elu, Softsign and their gradients.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "kernels/nn/activations.h"

namespace tfbuild {
namespace {

REGISTER_OP("Elu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("EluGrad")
    .Input("gradients: T")
    .Input("outputs: T")
    .Output("backprops: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Softsign")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("SoftsignGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

#define REGISTER_ONE(NAME, T)                                                  \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<T>("T"),                          \
                  UnaryKernel<RunUnary<functor::NAME, T>, kMathGrain>);        \
  REGISTER_KERNEL(Kernel(#NAME "Grad").OnCpu().Type<T>("T"),                   \
                  SameShapeKernel<RunBinary<functor::NAME##Grad, T>>);
#define REGISTER(T) REGISTER_ONE(Elu, T) REGISTER_ONE(Softsign, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
