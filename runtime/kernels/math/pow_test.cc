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
