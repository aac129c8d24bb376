// Neg, Abs, Sign, Square and Reciprocal with its gradient.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

REGISTER_OP("Neg")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
          "complex128}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Abs")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Sign")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Square")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, complex64, "
          "complex128, uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Reciprocal")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("ReciprocalGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

#define REGISTER_UNARY(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnCpu().Type<T>("T"), UnaryKernel<RunUnary<functor::OP, T>>);

#define REGISTER(T)        \
  REGISTER_UNARY(Neg, T)   \
  REGISTER_UNARY(Abs, T)   \
  REGISTER_UNARY(Sign, T)  \
  REGISTER_UNARY(Square, T)
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int8_t)
REGISTER(int16_t)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER
#define REGISTER(T)                                  \
  REGISTER_KERNEL(Kernel("Square").OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<functor::Square, SignedOf<T>>>);
REGISTER(uint8_t)
TFBUILD_UNSIGNED_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T)      \
  REGISTER_UNARY(Neg, T) \
  REGISTER_UNARY(Square, T)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T)                                              \
  REGISTER_UNARY(Reciprocal, T)                                  \
  REGISTER_KERNEL(Kernel("ReciprocalGrad").OnCpu().Type<T>("T"), \
                  SameShapeKernel<RunBinary<functor::ReciprocalGrad, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_UNARY

}  // namespace
}  // namespace tfbuild
