#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Sums(bool exclusive, bool reverse, const std::vector<double>& expected) {
  OpTest("Cumsum")
      .Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Scalar<int32_t>(-1))
      .Attr("exclusive", exclusive)
      .Attr("reverse", reverse)
      .Expect(MakeTensor<T>({2, 3}, expected))
      .Run();
}

template <typename T>
void AllSums() {
  Sums<T>(false, false, {1, 3, 6, 4, 9, 15});
  Sums<T>(true, false, {0, 1, 3, 0, 4, 9});
  Sums<T>(false, true, {6, 5, 3, 15, 11, 6});
  Sums<T>(true, true, {5, 3, 0, 11, 6, 0});
}

TEST(Cumsum, Float) { AllSums<float>(); }
TEST(Cumsum, Double) { AllSums<double>(); }
TEST(Cumsum, Half) { AllSums<Half>(); }
TEST(Cumsum, BFloat16) { AllSums<BFloat16>(); }
TEST(Cumsum, Int32) { AllSums<int32_t>(); }
TEST(Cumsum, Uint8) { AllSums<uint8_t>(); }

TEST(Cumprod, AlongTheFirstAxis) {
  OpTest("Cumprod")
      .Input(MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Scalar<int32_t>(0))
      .Expect(MakeTensor<float>({3, 2}, {1, 2, 3, 8, 15, 48}))
      .Run();
}

TEST(Cumsum, Empty) {
  OpTest("Cumsum")
      .Input(MakeTensor<float>({2, 0}, {}))
      .Input(Tensor::Scalar<int32_t>(0))
      .Expect(MakeTensor<float>({2, 0}, {}))
      .Run();
}

TEST(Cumsum, RejectsAnAxisThatIsNotThere) {
  for (const int32_t axis : {-3, 2}) {
    OpTest("Cumsum")
        .Input(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
        .Input(Tensor::Scalar<int32_t>(axis))
        .RunExpectingError(Code::kInvalidArgument, "axis");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
