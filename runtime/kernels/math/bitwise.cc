// BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, RightShift and PopulationCount.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "kernels/framework/functors.h"

namespace tfbuild {
namespace {

#define DEFINE(name)                                          \
  REGISTER_OP(name)                                           \
      .Input("x: T")                                          \
      .Input("y: T")                                          \
      .Output("z: T")                                         \
      .Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}")  \
      .ShapeFunction(BroadcastBinaryShape)
DEFINE("BitwiseAnd");
DEFINE("BitwiseOr");
DEFINE("BitwiseXor");
DEFINE("LeftShift");
DEFINE("RightShift");
#undef DEFINE
REGISTER_OP("Invert")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("PopulationCount")
    .Input("x: T")
    .Output("y: uint8")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);

TFBUILD_BINARY_FUNCTOR(And, static_cast<T>(x & y))
TFBUILD_BINARY_FUNCTOR(Or, static_cast<T>(x | y))
TFBUILD_BINARY_FUNCTOR(Xor, static_cast<T>(x ^ y))
TFBUILD_UNARY_FUNCTOR(Not, static_cast<T>(~x))

// By at most one less than there are bits, and at least by none.
template <typename T>
int Places(T y) {
  constexpr int kMost = 8 * sizeof(T) - 1;
  return y < T(0) ? 0 : y > T(kMost) ? kMost : static_cast<int>(y);
}
struct Left {
  template <typename T>
  static T Apply(T x, T y) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << Places(y));
  }
};
struct Right {
  template <typename T>
  static T Apply(T x, T y) { return static_cast<T>(x >> Places(y)); }
};
struct Ones {
  template <typename T>
  static uint8_t Apply(T x) {
    return static_cast<uint8_t>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(x)));
  }
};

template <typename T, typename Functor, typename Out>
void PlainUnary(const void* from, void* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    static_cast<Out*>(to)[i] = Functor::template Apply<T>(static_cast<const T*>(from)[i]);
  }
}
template <typename T, typename Functor>
void PlainBinary(const void* left, const void* right, void* result, int64_t count,
                 Operands operands) {
  const T *x = static_cast<const T*>(left), *y = static_cast<const T*>(right);
  const int64_t by_x = operands == Operands::kOnlyRight ? 0 : 1;
  const int64_t by_y = operands == Operands::kOnlyLeft ? 0 : 1;
  for (int64_t i = 0; i < count; ++i) {
    static_cast<T*>(result)[i] = Functor::template Apply<T>(x[i * by_x], y[i * by_y]);
  }
}

#define REGISTER_BITS(name, Functor, T)                 \
  REGISTER_KERNEL(Kernel(name).OnCpu().Type<T>("T"),    \
                  BinaryKernel<PlainBinary<SignedOf<T>, Functor>>);
#define REGISTER_ONE(name, Functor, T) \
  REGISTER_KERNEL(Kernel(name).OnCpu().Type<T>("T"), BinaryKernel<PlainBinary<T, Functor>>);
#define REGISTER(T)                                                                           \
  REGISTER_BITS("BitwiseAnd", And, T)                                                         \
  REGISTER_BITS("BitwiseOr", Or, T)                                                           \
  REGISTER_BITS("BitwiseXor", Xor, T)                                                         \
  REGISTER_ONE("LeftShift", Left, T)                                                          \
  REGISTER_ONE("RightShift", Right, T)                                                        \
  REGISTER_KERNEL(Kernel("Invert").OnCpu().Type<T>("T"), UnaryKernel<PlainUnary<T, Not, T>>); \
  REGISTER_KERNEL(Kernel("PopulationCount").OnCpu().Type<T>("T"),                             \
                  UnaryKernel<PlainUnary<T, Ones, uint8_t>>);
TFBUILD_INTEGER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE
#undef REGISTER_BITS

}  // namespace
}  // namespace tfbuild
