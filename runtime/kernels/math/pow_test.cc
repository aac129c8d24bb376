#include <cmath>
#include <limits>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Pow, Floats) {
#define CASE(T)                                             \
  OpTest("Pow").Input(MakeTensor<T>({4}, {2, 9, -2, 4}))    \
      .Input(MakeTensor<T>({4}, {3, 0.5, 3, -1}))           \
      .Expect(MakeTensor<T>({4}, {8, 3, -8, 0.25})).Run();
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

// One exponent for all has loops of its own, which agree with the library at every corner.
TEST(Pow, ByOneExponent) {
  const double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> bases = {0.0, -0.0, 1, -1, 2.5, -2.5, 1e-30, 3e25, infinite, -infinite,
                               std::nan("")};
  for (int i = 0; i < 100; ++i) bases.push_back(std::exp2(i * 0.37 - 18) * (i % 3 == 0 ? -1 : 1));
  const int64_t count = static_cast<int64_t>(bases.size());
  for (const double exponent : {1.0, 2.0, 3.0, 4.0, -1.0, 0.5, -0.5, 0.0, 2.5, -2.0}) {
#define CASE(T)                                                                                 \
    {                                                                                           \
      const Tensor x = MakeTensor<T>({count}, bases);                                           \
      const Tensor wide = MakeTensor<double>({count}, Values(x));                               \
      std::vector<double> powers = Values(wide);                                                \
      for (double& power : powers) power = std::pow(power, exponent);                           \
      OpTest("Pow").Input(x).Input(Tensor::Scalar<T>(T(static_cast<float>(exponent))))          \
          .Expect(MakeTensor<T>({count}, powers)).Run();                                        \
    }
    TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
  }
}

TEST(Pow, Integers) {
  OpTest("Pow").Input(MakeTensor<int32_t>({4}, {0, 2, -3, 7}))
      .Input(MakeTensor<int32_t>({4}, {0, 31, 3, 1}))
      .Expect(MakeTensor<int32_t>({4}, {1, -2147483648.0, -27, 7})).Run();
  OpTest("Pow").Input(MakeTensor<int8_t>({2}, {3, -2})).Input(Tensor::Scalar<int8_t>(2))
      .Expect(MakeTensor<int8_t>({2}, {9, 4})).Run();
}

TEST(Pow, RejectsNegativeExponentsOfIntegers) {
  OpTest("Pow").Input(Tensor::Scalar<int64_t>(2)).Input(Tensor::Scalar<int64_t>(-1))
      .RunExpectingError(Code::kInvalidArgument, "negative integer powers");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
