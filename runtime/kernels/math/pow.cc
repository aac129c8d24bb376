// Pow with broadcasting.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Pow")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}")
    .ShapeFunction(BroadcastBinaryShape);

// The same by products and roots, as exact, for exponents that programs have: of float in double.
struct Cube {
  static TFBUILD_ALWAYS_INLINE float Apply(float x) {
    const double wide = x;
    return static_cast<float>(wide * wide * wide);
  }
};
struct FourthPower {
  static TFBUILD_ALWAYS_INLINE float Apply(float x) {
    const double square = static_cast<double>(x) * x;
    return static_cast<float>(square * square);
  }
};
// The root of -0 is 0 here, and that of minus infinity infinite.
struct Root {
  template <typename T>
  static TFBUILD_ALWAYS_INLINE T Apply(T x) {
    const T root = std::sqrt(x + static_cast<T>(0));
    return x == -std::numeric_limits<T>::infinity() ? -x : root;
  }
};
struct InverseRoot {
  static TFBUILD_ALWAYS_INLINE float Apply(float x) {
    return static_cast<float>(1.0 / Root::Apply(static_cast<double>(x)));
  }
};

// The loop for one exponent; null where it has none.
template <typename T>
UnaryLoop LoopOfPower(double exponent) {
  if (exponent == 2) return RunUnary<functor::Square, T>;
  if (exponent == -1) return RunUnary<functor::Reciprocal, T>;
  if (exponent == 0.5) return RunUnary<Root, T>;
  if constexpr (!std::is_same<T, double>::value) {
    if (exponent == 3) return RunUnary<Cube, T>;
    if (exponent == 4) return RunUnary<FourthPower, T>;
    if (exponent == -0.5) return RunUnary<InverseRoot, T>;
  }
  return nullptr;
}

template <typename T>
void RunPow(const void* x, const void* y, void* z, int64_t count, Operands operands) {
  // A single element is its own exponent's, whichever operand is said to stand still.
  if (operands == Operands::kOnlyLeft || count == 1) {
    const double exponent = static_cast<double>(ComputeTypeOf<T>(*static_cast<const T*>(y)));
    if (const UnaryLoop loop = LoopOfPower<T>(exponent)) return loop(x, z, count);
  }
  RunBinary<functor::Pow, T>(x, y, z, count, operands);
}

template <typename T>
class IntegerPowOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& exponents = context->input(1);
    const T* begin = exponents.data<T>();
    const T* end = begin + exponents.num_elements();
    const bool negative = std::any_of(begin, end, [](T exponent) { return exponent < 0; });
    if (negative && context->input(0).num_elements() > 0) {
      return InvalidArgument("Integers to negative integer powers are not allowed");
    }
    return ComputeBinary(context, RunBinary<functor::Pow, T>, kMathGrain);
  }
};

#define REGISTER(T)                                   \
  REGISTER_KERNEL(Kernel("Pow").OnCpu().Type<T>("T"), \
                  BinaryKernel<RunPow<T>, kMathGrain>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T) REGISTER_KERNEL(Kernel("Pow").OnCpu().Type<T>("T"), IntegerPowOp<T>);
REGISTER(int8_t)
REGISTER(int16_t)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
