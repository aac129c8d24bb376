#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int32_t kLowest = -2147483647 - 1;

TEST(Div, FloatsOfAllTypes) {
#define CASE(T)                                                         \
  for (const char* op : {"Div", "RealDiv"}) {                           \
    OpTest(op).Input(MakeTensor<T>({3}, {1, -3, 0}))                    \
        .Input(MakeTensor<T>({3}, {2, 4, 8}))                           \
        .Expect(MakeTensor<T>({3}, {0.5, -0.75, 0})).Run();             \
  }
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(Div, ByZeroIsInfinite) {
  OpTest("RealDiv").Input(MakeTensor<float>({3}, {1, -1, 0})).Input(Tensor::Scalar(0.0f))
      .Expect(MakeTensor<float>({3}, {INFINITY, -INFINITY, NAN})).Run();
}

TEST(Div, IntegersTowardsZero) {
  OpTest("Div").Input(MakeTensor<int32_t>({4}, {7, -7, 7, -7}))
      .Input(MakeTensor<int32_t>({4}, {2, 2, -2, -2}))
      .Expect(MakeTensor<int32_t>({4}, {3, -3, -3, 3})).Run();
}

TEST(Div, LowestByMinusOneWraps) {
  const Tensor lowest = Tensor::Scalar<int32_t>(kLowest);
  const Tensor minus_one = Tensor::Scalar<int32_t>(-1);
  OpTest("Div").Input(lowest).Input(minus_one).Expect(lowest).Run();
  OpTest("FloorDiv").Input(lowest).Input(minus_one).Expect(lowest).Run();
  OpTest("FloorMod").Input(lowest).Input(minus_one).Expect(Tensor::Scalar<int32_t>(0)).Run();
}

TEST(Div, IntegersByZeroAreAnError) {
#define CASE(T)                                                                            \
  for (const char* op : {"Div", "FloorDiv", "FloorMod"}) {                                 \
    OpTest(op).Input(MakeTensor<T>({2}, {1, 2})).Input(MakeTensor<T>({2}, {1, 0}))         \
        .RunExpectingError(Code::kInvalidArgument, "Integer division by zero");            \
  }
  TFBUILD_INTEGER_TYPES(CASE)
#undef CASE
}

TEST(FloorDiv, RoundsDown) {
  OpTest("FloorDiv").Input(MakeTensor<int64_t>({5}, {7, -7, 7, -7, 6}))
      .Input(MakeTensor<int64_t>({5}, {2, 2, -2, -2, -3}))
      .Expect(MakeTensor<int64_t>({5}, {3, -4, -4, 3, -2})).Run();
  OpTest("FloorDiv").Input(MakeTensor<float>({3}, {-7, 7, 1}))
      .Input(MakeTensor<float>({3}, {2, -2, 0}))
      .Expect(MakeTensor<float>({3}, {-4, -4, INFINITY})).Run();
  OpTest("FloorDiv").Input(MakeTensor<uint8_t>({2}, {200, 255}))
      .Input(MakeTensor<uint8_t>({2}, {3, 255})).Expect(MakeTensor<uint8_t>({2}, {66, 1})).Run();
}

TEST(FloorMod, HasTheSignOfTheDivisor) {
  OpTest("FloorMod").Input(MakeTensor<int8_t>({4}, {7, -7, 7, -7}))
      .Input(MakeTensor<int8_t>({4}, {3, 3, -3, -3}))
      .Expect(MakeTensor<int8_t>({4}, {1, 2, -2, -1})).Run();
  OpTest("FloorMod").Input(MakeTensor<double>({4}, {-7, 7, 5.5, 5.5}))
      .Input(MakeTensor<double>({4}, {2, -2, 0, 2}))
      .Expect(MakeTensor<double>({4}, {1, -1, NAN, 1.5})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
