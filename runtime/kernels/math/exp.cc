// Exp, Log, Log1p and Erf.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

REGISTER_OP("Log")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .ShapeFunction(UnchangedShape);
TFBUILD_UNARY_KERNEL(Log, float, kMathGrain)
TFBUILD_UNARY_KERNEL(Log, double, kMathGrain)
TFBUILD_UNARY_KERNEL(Log, Half, kMathGrain)
TFBUILD_UNARY_KERNEL(Log, BFloat16, kMathGrain)

TFBUILD_COMPLEX_UNARY_OP(Exp, kMathGrain)
TFBUILD_COMPLEX_UNARY_OP(Log1p, kMathGrain)
TFBUILD_UNARY_OP(Erf, kMathGrain)

}  // namespace
}  // namespace tfbuild
