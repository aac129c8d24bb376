// Exp, Log, Log1p and Erf.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

// The logarithm of float where a number is positive, finite and has all its places, as nearly all
// numbers are: that takes two thirds of the time. Others go the long way one by one.
struct UsualLog {
  static TFBUILD_ALWAYS_INLINE bool IsRare(float x) {
    return !(x >= std::numeric_limits<float>::min() && x <= std::numeric_limits<float>::max());
  }
  static TFBUILD_ALWAYS_INLINE float Apply(float x) {
    const int32_t bits = vector_math::Minus(vector_math::BitsOf(x), vector_math::kRootOfHalf);
    const float near_one = vector_math::OfBits((bits & 0x7fffff) + vector_math::kRootOfHalf);
    return vector_math::LogOfParts(static_cast<float>(bits >> 23), near_one - 1.0f);
  }
  static float ApplyRare(float x) { return vector_math::Log(x); }
};

REGISTER_OP("Log")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .ShapeFunction(UnchangedShape);
REGISTER_KERNEL(Kernel("Log").OnCpu().Type<float>("T"),
                UnaryKernel<RunUnary<UsualLog, float>, kMathGrain>);
TFBUILD_UNARY_KERNEL(Log, double, kMathGrain)
TFBUILD_UNARY_KERNEL(Log, Half, kMathGrain)
TFBUILD_UNARY_KERNEL(Log, BFloat16, kMathGrain)

TFBUILD_COMPLEX_UNARY_OP(Exp, kMathGrain)
TFBUILD_COMPLEX_UNARY_OP(Log1p, kMathGrain)
TFBUILD_UNARY_OP(Erf, kMathGrain)

}  // namespace
}  // namespace tfbuild
