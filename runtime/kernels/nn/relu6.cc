// Relu6 and Relu6Grad: min(max(x, 0), 6) and its derivative, which is 0 at both corners.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "kernels/nn/activations.h"

namespace tfbuild {
namespace {

REGISTER_OP("Relu6")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Relu6Grad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);

#define REGISTER(T)                                                        \
  REGISTER_KERNEL(Kernel("Relu6").OnCpu().Type<T>("T"),                    \
                  UnaryKernel<RunUnary<functor::Relu6, T>>);               \
  REGISTER_KERNEL(Kernel("Relu6Grad").OnCpu().Type<T>("T"),                \
                  SameShapeKernel<RunBinary<functor::Relu6Grad, T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
