// Selu and its gradient: scaled exponential linear units, by Klambauer et al. (NIPS 2017).
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "kernels/framework/functors.h"

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

constexpr double kScale = 1.0507009873554804934193349852946;
constexpr double kScaleAlpha = 1.7580993408473768599402175208123;

TFBUILD_UNARY_FUNCTOR(SeluOf, x < static_cast<T>(0)
                                  ? static_cast<T>(kScaleAlpha) * functor::Expm1::Apply(x)
                                  : static_cast<T>(kScale) * x)
// From the gradient of the result, and the result.
TFBUILD_BINARY_FUNCTOR(SeluGradOf, y < static_cast<T>(0) ? x * (y + static_cast<T>(kScaleAlpha))
                                                         : x * static_cast<T>(kScale))

#define REGISTER(T)                                                          \
  REGISTER_KERNEL(Kernel("Selu").OnCpu().Type<T>("T"),                       \
                  UnaryKernel<RunUnary<SeluOf, T>, kMathGrain>);             \
  REGISTER_KERNEL(Kernel("SeluGrad").OnCpu().Type<T>("T"),                   \
                  SameShapeKernel<RunBinary<SeluGradOf, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
