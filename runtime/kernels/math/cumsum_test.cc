#include <cmath>

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

// Sums of ones: of lines that a GPU cuts into few parts, into many, or not.
void CountsAlong(const Shape& shape, int axis, bool exclusive, bool reverse) {
  int64_t inner = 1;
  for (int k = axis + 1; k < shape.rank(); ++k) inner *= shape.dim(k);
  std::vector<double> ones(static_cast<size_t>(shape.num_elements()), 1), expected(ones.size());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const int64_t at = i / inner % shape.dim(axis);
    const int64_t before = reverse ? shape.dim(axis) - 1 - at : at;
    expected[static_cast<size_t>(i)] = static_cast<double>(before + (exclusive ? 0 : 1));
  }
  OpTest("Cumsum")
      .Input(MakeTensor<float>(shape, ones))
      .Input(Tensor::Scalar<int32_t>(axis))
      .Attr("exclusive", exclusive)
      .Attr("reverse", reverse)
      .Expect(MakeTensor<float>(shape, expected))
      .Run();
}

TEST(Cumsum, OfLongLines) {
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      CountsAlong({3, 10000}, 1, exclusive, reverse);
      CountsAlong({2, 5000, 3}, 1, exclusive, reverse);
      CountsAlong({300, 5}, 0, exclusive, reverse);
    }
  }
  CountsAlong({140001}, 0, true, true);
}

TEST(Cumprod, OfLongLines) {
  std::vector<double> values(9000, 1), expected(9000);
  for (size_t i = 0; i < values.size(); i += 1000) values[i] = 2;
  for (size_t i = 0; i < values.size(); ++i) expected[i] = std::exp2(static_cast<double>(i / 1000 + 1));
  OpTest("Cumprod")
      .Input(MakeTensor<double>({9000}, values))
      .Input(Tensor::Scalar<int32_t>(0))
      .Expect(MakeTensor<double>({9000}, expected))
      .Run();
}

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
