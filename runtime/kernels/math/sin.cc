// Sin, Cos and Expm1.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

// Sine and cosine of float where a processor multiplies and adds in one rounding: the rest of the
// angle then comes from float alone, as pi / 2 in three parts leaves no more of an error than double
// does: behind the first part nothing is rounded, and the second has 24 more bits.
template <typename F, int32_t kQuarters>
struct FloatAngle : F {
  static TFBUILD_ALWAYS_INLINE float ApplyFused(float x) {
    constexpr float s[] = {-0.166666647f, 0.00833274815f, -0.000195878657f};
    constexpr float c[] = {0.0416666647f, -0.00138883029f, 2.45479169e-05f};
    const float shifted = __builtin_fmaf(x, 0.636619772f, vector_math::kToInteger);
    const float n = shifted - vector_math::kToInteger;
    const float second = __builtin_fmaf(n, 4.37113883e-08f, __builtin_fmaf(n, -1.57079637f, x));
    const float r = __builtin_fmaf(n, 1.71512451e-15f, second);
    const int32_t quarter = vector_math::Minus(vector_math::BitsOf(shifted),
                                               vector_math::BitsOf(vector_math::kToInteger) - kQuarters);
    const float square = r * r;
    const float odd = r + r * square * vector_math::Polynomial(square, s);
    const float sine = x == 0 ? x : odd;  // keeps the sign of zero
    const float cosine =
        1.0f - 0.5f * square + square * square * vector_math::Polynomial(square, c);
    const float y = (quarter & 1) != 0 ? cosine : sine;
    return vector_math::OfBits(vector_math::BitsOf(y) ^
                               static_cast<int32_t>(static_cast<uint32_t>(quarter & 2) << 30));
  }
};

using FloatSin = FloatAngle<functor::Sin, 0>;
using FloatCos = FloatAngle<functor::Cos, 1>;

}  // namespace

template <typename F, int32_t kQuarters>
struct UnaryRowLoop<FloatAngle<F, kQuarters>, float, float> {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const float* x, float* y, int64_t count) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (kVectorBytes > 16) y[i] = FloatAngle<F, kQuarters>::ApplyFused(x[i]);
      else y[i] = F::Apply(x[i]);
    }
  }
};

namespace {

#define TFBUILD_ANGLE_OP(NAME)                                                        \
  REGISTER_OP(#NAME)                                                                  \
      .Input("x: T")                                                                  \
      .Output("y: T")                                                                 \
      .Attr("T: {bfloat16, half, float, double, complex64, complex128}")              \
      .ShapeFunction(UnchangedShape);                                                 \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<float>("T"),                             \
                  UnaryKernel<RunUnary<Float##NAME, float>, kMathGrain>);             \
  TFBUILD_UNARY_KERNEL(NAME, double, kMathGrain)                                      \
  TFBUILD_UNARY_KERNEL(NAME, Half, kMathGrain)                                        \
  TFBUILD_UNARY_KERNEL(NAME, BFloat16, kMathGrain)

TFBUILD_ANGLE_OP(Sin)
TFBUILD_ANGLE_OP(Cos)
TFBUILD_COMPLEX_UNARY_OP(Expm1, kMathGrain)

}  // namespace
}  // namespace tfbuild
