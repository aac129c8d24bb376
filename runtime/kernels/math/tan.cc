// Tan, the inverse and hyperbolic functions, Atan2, and products with a logarithm that are zero
// where the factor is.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

// One struct for each, since that is what loops take.
#define TFBUILD_LIBRARY_OP(NAME, FUNCTION)                \
  REGISTER_OP(#NAME)                                      \
      .Input("x: T")                                      \
      .Output("y: T")                                     \
      .Attr(TFBUILD_FLOATS)                               \
      .ShapeFunction(UnchangedShape);                     \
  struct NAME##Of {                                       \
    template <typename T>                                 \
    static T Apply(T x) { return std::FUNCTION(x); }      \
  };                                                      \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, float)                  \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, double)                 \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, Half)                   \
  TFBUILD_OF_LIBRARY_KERNEL(NAME, BFloat16)
#define TFBUILD_OF_LIBRARY_KERNEL(NAME, T)            \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<NAME##Of, T>, kMathGrain>);

TFBUILD_LIBRARY_OP(Tan, tan)
TFBUILD_LIBRARY_OP(Asin, asin)
TFBUILD_LIBRARY_OP(Acos, acos)
TFBUILD_LIBRARY_OP(Atan, atan)
TFBUILD_LIBRARY_OP(Sinh, sinh)
TFBUILD_LIBRARY_OP(Cosh, cosh)
TFBUILD_LIBRARY_OP(Asinh, asinh)
TFBUILD_LIBRARY_OP(Acosh, acosh)
TFBUILD_LIBRARY_OP(Atanh, atanh)

REGISTER_OP("Atan2").Input("y: T").Input("x: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Xdivy").Input("x: T").Input("y: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Xlogy").Input("x: T").Input("y: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Xlog1py").Input("x: T").Input("y: T").Output("z: T").Attr(TFBUILD_FLOATS)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("TruncateMod").Input("x: T").Input("y: T").Output("z: T")
    .Attr("T: {int32, int64, bfloat16, half, float, double}")
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("TruncateDiv").Input("x: T").Input("y: T").Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64}")
    .ShapeFunction(BroadcastBinaryShape);

struct Atan2Of {
  template <typename T>
  static T Apply(T y, T x) { return std::atan2(y, x); }
};
struct XdivyOf {
  template <typename T>
  static T Apply(T x, T y) { return x == T(0) ? T(0) : x / y; }
};
struct XlogyOf {
  template <typename T>
  static T Apply(T x, T y) { return x == T(0) ? T(0) : x * std::log(y); }
};
struct Xlog1pyOf {
  template <typename T>
  static T Apply(T x, T y) { return x == T(0) ? T(0) : x * std::log1p(y); }
};
// Towards zero. The least integer divided by -1 is itself. The kernel refuses zeros; what is read
// here may be another number, where somebody writes into the array that was fed.
struct TruncateDivOf {
  template <typename T>
  static T Apply(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
      if (y == T(0)) return T(0);
      return std::is_signed<T>::value && y == T(-1) ? static_cast<T>(-static_cast<uint64_t>(x))
                                                    : static_cast<T>(x / y);
    } else {
      return std::trunc(x / y);
    }
  }
};
struct TruncateModOf {
  template <typename T>
  static T Apply(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
      return y == T(-1) || y == T(0) ? T(0) : static_cast<T>(x % y);
    } else {
      return std::fmod(x, y);
    }
  }
};

// Division of integers: a zero among the divisors is an error.
template <typename T, BinaryLoop kLoop>
class IntegerTruncationOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& divisors = context->input(1);
    const T* begin = divisors.data<T>();
    const T* end = begin + divisors.num_elements();
    if (context->input(0).num_elements() > 0 && std::find(begin, end, T(0)) != end) {
      return InvalidArgument("Integer division by zero");
    }
    return ComputeBinary(context, kLoop, kMathGrain);
  }
};

#define REGISTER_TWO(OP, T) \
  REGISTER_KERNEL(Kernel(#OP).OnCpu().Type<T>("T"), BinaryKernel<RunBinary<OP##Of, T>, kMathGrain>);
#define REGISTER(T)            \
  REGISTER_TWO(Atan2, T)       \
  REGISTER_TWO(Xdivy, T)       \
  REGISTER_TWO(Xlogy, T)       \
  REGISTER_TWO(Xlog1py, T)     \
  REGISTER_TWO(TruncateDiv, T) \
  REGISTER_TWO(TruncateMod, T)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_TWO

#define REGISTER(T)                                           \
  REGISTER_KERNEL(Kernel("TruncateDiv").OnCpu().Type<T>("T"), \
                  IntegerTruncationOp<T, RunBinary<TruncateDivOf, T>>);
TFBUILD_INTEGER_TYPES(REGISTER)
#undef REGISTER
REGISTER_KERNEL(Kernel("TruncateMod").OnCpu().Type<int32_t>("T"),
                IntegerTruncationOp<int32_t, RunBinary<TruncateModOf, int32_t>>);
REGISTER_KERNEL(Kernel("TruncateMod").OnCpu().Type<int64_t>("T"),
                IntegerTruncationOp<int64_t, RunBinary<TruncateModOf, int64_t>>);

}  // namespace
}  // namespace tfbuild
