// Relu and ReluGrad: max(x, 0) and its derivative.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Relu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("ReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);

#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("Relu").OnCpu().Type<T>("T"), UnaryKernel<RunUnary<functor::Relu, T>>); \
  REGISTER_KERNEL(Kernel("ReluGrad").OnCpu().Type<T>("T"),                                       \
                  SameShapeKernel<RunBinary<functor::ReluGrad, T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
