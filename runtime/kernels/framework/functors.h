#pragma once

// The formulas of elementwise ops, shared by CPU and GPU kernels. Arguments are of the type in
// which arithmetic is done (float for half and bfloat16). Integers wrap around, as in TensorFlow.

#include <cmath>
#include <type_traits>

#include "kernels/framework/vector_math.h"
#include "tensor/half.h"

// A functor of two arguments of type T called x and y.
#define TFBUILD_BINARY_FUNCTOR(name, expression)                     \
  struct name {                                                      \
    template <typename T>                                            \
    static TFBUILD_FORMULA auto Apply(T x, T y) { return expression; } \
  };
// A functor of one argument of type T called x.
#define TFBUILD_UNARY_FUNCTOR(name, expression)                 \
  struct name {                                                 \
    template <typename T>                                       \
    static TFBUILD_FORMULA auto Apply(T x) { return expression; } \
  };

namespace tfbuild {
namespace functor {

// The unsigned type in which a sum, difference or product of T wraps around without being
// undefined; T itself for floating point.
template <typename T, bool kInteger = std::is_integral<T>::value>
struct Wrap { using type = T; };
template <typename T>
struct Wrap<T, true> {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <typename T>
using WrapOf = typename Wrap<T>::type;

TFBUILD_BINARY_FUNCTOR(Add, static_cast<T>(static_cast<WrapOf<T>>(x) + static_cast<WrapOf<T>>(y)))
TFBUILD_BINARY_FUNCTOR(Sub, static_cast<T>(static_cast<WrapOf<T>>(x) - static_cast<WrapOf<T>>(y)))
TFBUILD_BINARY_FUNCTOR(Mul, static_cast<T>(static_cast<WrapOf<T>>(x) * static_cast<WrapOf<T>>(y)))
// NaN in, NaN out, whichever operand it is. Two choices, since || is a branch, which no vector has.
TFBUILD_BINARY_FUNCTOR(Maximum, x != x ? x : (x > y ? x : y))
TFBUILD_BINARY_FUNCTOR(Minimum, x != x ? x : (x < y ? x : y))
TFBUILD_BINARY_FUNCTOR(SquaredDifference, Mul::Apply(Sub::Apply(x, y), Sub::Apply(x, y)))

TFBUILD_BINARY_FUNCTOR(Equal, x == y)
TFBUILD_BINARY_FUNCTOR(NotEqual, x != y)
TFBUILD_BINARY_FUNCTOR(Less, x < y)
TFBUILD_BINARY_FUNCTOR(LessEqual, x <= y)
TFBUILD_BINARY_FUNCTOR(Greater, x > y)
TFBUILD_BINARY_FUNCTOR(GreaterEqual, x >= y)
TFBUILD_BINARY_FUNCTOR(LogicalAnd, x && y)
TFBUILD_BINARY_FUNCTOR(LogicalOr, x || y)

// Whether dividing by y traps or overflows for some numerator: only -1 does besides 0, which the
// kernel rejects beforehand.
template <typename T>
TFBUILD_FORMULA bool IsMinusOne(T y) {
  return std::is_signed<T>::value && y == static_cast<T>(-1);
}

// Rounds towards zero for integers.
struct Div {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
      if (y == 0) return 0;
      if (IsMinusOne(y)) return Sub::Apply(static_cast<T>(0), x);
    }
    return static_cast<T>(x / y);
  }
};

// Zero where the divisor is.
TFBUILD_BINARY_FUNCTOR(DivNoNan, y == static_cast<T>(0) ? static_cast<T>(0) : x / y)

// Rounds towards minus infinity.
struct FloorDiv {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
      if (y == 0) return 0;
      if (IsMinusOne(y)) return Sub::Apply(static_cast<T>(0), x);
      const T quotient = static_cast<T>(x / y);
      return static_cast<T>(quotient - ((x % y != 0) && ((x < 0) != (y < 0)) ? 1 : 0));
    } else {
      return std::floor(x / y);
    }
  }
};

// What FloorDiv leaves: has the sign of y.
struct FloorMod {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x, T y) {
    T rest;
    if constexpr (std::is_integral<T>::value) {
      if (y == 0 || IsMinusOne(y)) return 0;
      rest = static_cast<T>(x % y);
    } else {
      rest = std::fmod(x, y);
    }
    return static_cast<T>(rest != 0 && ((y < 0) != (rest < 0)) ? rest + y : rest);
  }
};

// Integers by repeated squaring; the kernel rejects negative exponents of integers beforehand.
struct Pow {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
      T power = 1;
      for (; y > 0; y = static_cast<T>(y / 2)) {
        if (y % 2 == 1) power = Mul::Apply(power, x);
        x = Mul::Apply(x, x);
      }
      return power;
    } else {
      return std::pow(x, y);
    }
  }
};

struct Neg {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x) {
    if constexpr (std::is_integral<T>::value) return Sub::Apply(static_cast<T>(0), x);
    else return -x;  // 0 - x has another sign where x is 0
  }
};
TFBUILD_UNARY_FUNCTOR(Square, Mul::Apply(x, x))
TFBUILD_UNARY_FUNCTOR(Reciprocal, static_cast<T>(static_cast<T>(1) / x))
TFBUILD_UNARY_FUNCTOR(Sqrt, std::sqrt(x))
TFBUILD_UNARY_FUNCTOR(Floor, std::floor(x))
TFBUILD_UNARY_FUNCTOR(Ceil, std::ceil(x))
TFBUILD_UNARY_FUNCTOR(Round, std::rint(x))  // halves to the even neighbour
TFBUILD_UNARY_FUNCTOR(IsNan, x != x)
// A finite number less itself is 0, everything else is NaN.
TFBUILD_UNARY_FUNCTOR(IsFinite, x - x == static_cast<T>(0))
TFBUILD_UNARY_FUNCTOR(IsInf, x == x && x - x != static_cast<T>(0))
TFBUILD_UNARY_FUNCTOR(LogicalNot, !x)
// The elementary functions: of float as vectors of the CPU compute them, else the C library's.
#define TFBUILD_VECTOR_APPLY(name, expression)                                \
  template <typename T>                                                       \
  static TFBUILD_FORMULA T Apply(T x) {                                       \
    if constexpr (std::is_same<T, float>::value) return vector_math::name(x); \
    else return expression;                                                   \
  }
#define TFBUILD_VECTOR_FUNCTOR(name, expression) \
  struct name {                                  \
    TFBUILD_VECTOR_APPLY(name, expression)       \
  };
// CUDA's own is as exact, and faster on a GPU.
#ifdef __CUDACC__
#define TFBUILD_ELEMENTARY_FUNCTOR(name, expression) TFBUILD_UNARY_FUNCTOR(name, expression)
#else
#define TFBUILD_ELEMENTARY_FUNCTOR(name, expression) TFBUILD_VECTOR_FUNCTOR(name, expression)
#endif
TFBUILD_ELEMENTARY_FUNCTOR(Expm1, std::expm1(x))
TFBUILD_ELEMENTARY_FUNCTOR(Log1p, std::log1p(x))
TFBUILD_ELEMENTARY_FUNCTOR(Erf, std::erf(x))
TFBUILD_ELEMENTARY_FUNCTOR(Tanh, std::tanh(x))
TFBUILD_VECTOR_FUNCTOR(Sigmoid, (x < 0 ? std::exp(x) : static_cast<T>(1)) /
                                    (static_cast<T>(1) + std::exp(x < 0 ? x : -x)))
// log(1 + exp(x)) without overflow, exact at both ends.
TFBUILD_VECTOR_FUNCTOR(Softplus, (x > 0 ? x : static_cast<T>(0)) +
                                     std::log1p(std::exp(x > 0 ? -x : x)))
#ifdef __CUDACC__
TFBUILD_UNARY_FUNCTOR(Exp, std::exp(x))
TFBUILD_UNARY_FUNCTOR(Log, std::log(x))
TFBUILD_UNARY_FUNCTOR(Rsqrt, static_cast<T>(1) / std::sqrt(x))
TFBUILD_UNARY_FUNCTOR(Sin, std::sin(x))
TFBUILD_UNARY_FUNCTOR(Cos, std::cos(x))
#else
TFBUILD_ELEMENTARY_FUNCTOR(UsualLog, std::log(x))
TFBUILD_ELEMENTARY_FUNCTOR(UsualRsqrt, static_cast<T>(1) / std::sqrt(x))
TFBUILD_ELEMENTARY_FUNCTOR(SmallAngleSin, std::sin(x))
TFBUILD_ELEMENTARY_FUNCTOR(SmallAngleCos, std::cos(x))

// A loop for AVX-512 gives the bits that the others give.
struct Exp {
  TFBUILD_VECTOR_APPLY(Exp, std::exp(x))
#ifdef TFBUILD_X86
  static void Avx512Row(const float* x, float* y, int64_t count);
#endif
};

// Numbers that are not positive, finite and of all places, as nearly all are, go the long way one by
// one: that takes two thirds of the time.
struct Log : UsualLog {
  static TFBUILD_ALWAYS_INLINE bool IsRare(float x) {
    return !(x >= std::numeric_limits<float>::min() && x <= std::numeric_limits<float>::max());
  }
  static float ApplyRare(float x) { return vector_math::Log(x); }
#ifdef TFBUILD_X86
  static void Avx512Row(const float* x, float* y, int64_t count);
#endif
};

// Zeros, what is below them, tiny and infinite numbers and NaN take as long a way as is needed.
struct Rsqrt : UsualRsqrt {
  static TFBUILD_ALWAYS_INLINE bool IsRare(float x) {
    return !(x >= vector_math::kLeastUsualRsqrt && x <= std::numeric_limits<float>::max());
  }
  static float ApplyRare(float x) { return vector_math::Rsqrt(x); }
#ifdef TFBUILD_X86
  static void Avx512Row(const float* x, float* y, int64_t count);
#endif
};

// Large angles (NaN and infinities among them) go to the library one by one.
TFBUILD_ALWAYS_INLINE bool IsLargeAngle(float x) {
  return !(std::fabs(x) <= vector_math::kLargeAngle);
}
struct Sin : SmallAngleSin {
  static TFBUILD_ALWAYS_INLINE bool IsRare(float x) { return IsLargeAngle(x); }
  static float ApplyRare(float x) { return std::sin(x); }
};
struct Cos : SmallAngleCos {
  static TFBUILD_ALWAYS_INLINE bool IsRare(float x) { return IsLargeAngle(x); }
  static float ApplyRare(float x) { return std::cos(x); }
};
#endif

struct Abs {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x) {
    if constexpr (std::is_integral<T>::value) return x < 0 ? Neg::Apply(x) : x;
    else return std::fabs(x);
  }
};

// NaN stays NaN.
TFBUILD_UNARY_FUNCTOR(Sign, static_cast<T>(x > 0 ? static_cast<T>(1)
                                                 : x < 0 ? static_cast<T>(-1) : x))

// A type in which products of several T do not overflow.
template <typename T>
using WideOf = std::conditional_t<std::is_same<T, float>::value, double, T>;

// NaN stays NaN.
TFBUILD_UNARY_FUNCTOR(Relu, x < static_cast<T>(0) ? static_cast<T>(0) : x)

// Gradients with respect to the argument, from the op's result y and the gradient dy of it ...
// On a GPU, where double is slow, with one rounding less instead.
struct TanhGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T y, T dy) {
#ifdef __CUDACC__
    return dy * std::fma(-y, y, static_cast<T>(1));
#else
    const WideOf<T> wide = y;
    return static_cast<T>(dy * ((1 - wide) * (1 + wide)));
#endif
  }
};
struct SigmoidGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T y, T dy) {
#ifdef __CUDACC__
    return dy * std::fma(-y, y, y);
#else
    const WideOf<T> wide = y;
    return static_cast<T>(dy * (wide * (1 - wide)));
#endif
  }
};
// The next three are 0 where the gradient is, also beside a pole or NaN, as TensorFlow's: programs
// choose by tf.where between a root and something else.
template <typename T>
TFBUILD_FORMULA T NothingOfNothing(T dy, T gradient) {
  return dy == static_cast<T>(0) ? static_cast<T>(0) : gradient;
}
struct SqrtGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T y, T dy) {
#ifdef __CUDACC__
    // Half of what is too small or a quotient that is too large for T would be lost.
    const bool small = std::fabs(y) < static_cast<T>(1);
    const T quotient = dy / (small ? y + y : y);
    return NothingOfNothing(dy, small ? quotient : static_cast<T>(0.5) * quotient);
#else
    return NothingOfNothing(dy, static_cast<T>(static_cast<WideOf<T>>(0.5) * dy / y));
#endif
  }
};
struct RsqrtGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T y, T dy) {
    const WideOf<T> wide = y;
    return NothingOfNothing(
        dy, static_cast<T>(static_cast<WideOf<T>>(-0.5) * dy * wide * wide * wide));
  }
};
struct ReciprocalGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T y, T dy) {
    const WideOf<T> wide = y;
    return NothingOfNothing(dy, static_cast<T>(-dy * wide * wide));
  }
};
// ... and here from the gradient and the op's argument, in the order of the op's inputs. A product,
// as in TensorFlow: a gradient that is NaN or infinite is seen though the feature is not positive.
struct ReluGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T gradient, T feature) {
    return static_cast<T>(gradient * static_cast<T>(feature > static_cast<T>(0) ? 1 : 0));
  }
};
struct SoftplusGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T gradient, T feature) {
    return gradient / (Exp::Apply(-feature) + 1);
  }
};

}  // namespace functor
}  // namespace tfbuild
