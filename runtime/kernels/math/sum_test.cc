#include <random>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const char kCancel[] = "terms of both signs cancel";

Tensor Axes(const std::vector<int32_t>& axes) { return Tensor::Vector(axes); }

TEST(Sum, AllTypes) {
#define CASE(T)                                                                                \
  OpTest("Sum").Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6})).Input(Axes({0}))              \
      .Expect(MakeTensor<T>({3}, {5, 7, 9})).Run();                                            \
  OpTest("Sum").Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6})).Input(Axes({-1}))             \
      .Attr("keep_dims", true).Expect(MakeTensor<T>({2, 1}, {6, 15})).Run();                   \
  OpTest("Mean").Input(MakeTensor<T>({2, 3}, {1, 2, 3, 3, 4, 5})).Input(Axes({0}))             \
      .Expect(MakeTensor<T>({3}, {2, 3, 4})).Run();                                            \
  OpTest("Mean").Input(MakeTensor<T>({2, 2}, {1, 2, 3, 6})).Input(Axes({0, 1}))                \
      .Expect(MakeTensor<T>({}, {3})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

// Reduces by the definition: each element is added to the output that its kept indices name.
Tensor SumByDefinition(const Tensor& input, const std::vector<bool>& reduced, double scale) {
  std::vector<int64_t> dims;
  for (int k = 0; k < input.rank(); ++k) {
    if (!reduced[static_cast<size_t>(k)]) dims.push_back(input.dim(k));
  }
  const Shape shape = *Shape::Make(dims);
  std::vector<double> sums(static_cast<size_t>(shape.num_elements()), 0);
  const std::vector<double> values = Values(input);
  for (int64_t i = 0; i < input.num_elements(); ++i) {
    int64_t rest = i, output = 0, stride = 1;
    for (int k = input.rank() - 1; k >= 0; --k) {
      const int64_t index = rest % input.dim(k);
      rest /= input.dim(k);
      if (reduced[static_cast<size_t>(k)]) continue;
      output += index * stride;
      stride *= input.dim(k);
    }
    sums[static_cast<size_t>(output)] += values[static_cast<size_t>(i)] * scale;
  }
  return MakeTensor<float>(shape, sums);
}

void CheckEveryChoiceOfAxes(const Shape& shape, double slack) {
  std::mt19937 random(static_cast<unsigned>(shape.num_elements()));
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (double& value : values) value = std::uniform_real_distribution<double>(-1, 1)(random);
  const Tensor input = MakeTensor<float>(shape, values);
  for (int choice = 0; choice < 1 << shape.rank(); ++choice) {
    std::vector<int32_t> axes;
    std::vector<bool> reduced;
    int64_t count = 1;
    for (int k = 0; k < shape.rank(); ++k) {
      reduced.push_back((choice >> k & 1) != 0);
      if (reduced.back()) axes.push_back(k);
      if (reduced.back()) count *= shape.dim(k);
    }
    OpTest("Sum").Input(input).Input(Axes(axes)).Expect(SumByDefinition(input, reduced, 1))
        .Within(Slack(slack, kCancel)).Run();
    OpTest("Mean").Input(input).Input(Axes(axes))
        .Expect(SumByDefinition(input, reduced, 1.0 / static_cast<double>(count)))
        .Within(Slack(slack, kCancel)).Run();
  }
}

TEST(Sum, EveryChoiceOfAxes) {
  CheckEveryChoiceOfAxes({2, 3, 4, 5}, 4e-6);
  CheckEveryChoiceOfAxes({3, 1, 70, 2}, 4e-6);
  CheckEveryChoiceOfAxes({1, 1}, 4e-6);
}

// So many elements that the work is cut up: rows, columns, the middle and everything. Sums come
// near zero, so their last digits are lost.
TEST(Sum, LargeInputs) {
  CheckEveryChoiceOfAxes({2000, 130}, 2e-4);
  CheckEveryChoiceOfAxes({37, 5, 1999}, 2e-4);
  CheckEveryChoiceOfAxes({8, 300, 3, 40}, 2e-4);
}

TEST(Sum, KeepsPrecision) {
  constexpr int64_t kCount = 1 << 22;
  Tensor ones = *Tensor::Allocate(CpuAllocator(), DType::kFloat, Shape{kCount});
  for (int64_t i = 0; i < kCount; ++i) ones.mutable_data<float>()[i] = 0.1f;
  const double sum = static_cast<double>(0.1f) * kCount;
  OpTest("Sum").Input(ones).Input(Axes({0})).Expect(MakeTensor<float>({}, {sum})).Within(Ulps(4))
      .Run();
  // Half cannot hold 4096 + 1, a sum in float can.
  const Tensor halves = MakeTensor<Half>({8192}, std::vector<double>(8192, 1.0));
  OpTest("Sum").Input(halves).Input(Axes({0})).Expect(MakeTensor<Half>({}, {8192})).Run();
}

TEST(Mean, OfIntegersDoesNotOverflow) {
  OpTest("Mean").Input(MakeTensor<int8_t>({3}, {100, 100, 100})).Input(Axes({0}))
      .Expect(MakeTensor<int8_t>({}, {100})).Run();
  OpTest("Mean").Input(MakeTensor<int32_t>({3}, {-1, -2, -4})).Input(Axes({0}))
      .Expect(MakeTensor<int32_t>({}, {-2})).Run();
}

TEST(Sum, OfNothing) {
  OpTest("Sum").Input(MakeTensor<float>({2, 0}, {})).Input(Axes({1}))
      .Expect(MakeTensor<float>({2}, {0, 0})).Run();
  OpTest("Mean").Input(MakeTensor<float>({0}, {})).Input(Axes({0}))
      .Expect(MakeTensor<float>({}, {NAN})).Run();
  OpTest("Mean").Input(MakeTensor<int32_t>({0}, {})).Input(Axes({0}))
      .Expect(MakeTensor<int32_t>({}, {0})).Run();
  OpTest("Sum").Input(MakeTensor<float>({2, 0}, {})).Input(Axes({0}))
      .Expect(MakeTensor<float>({0}, {})).Run();
}

TEST(Sum, ScalarAxisAndInt64Axes) {
  const Tensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  OpTest("Sum").Input(x).Input(Tensor::Scalar<int32_t>(1))
      .Expect(MakeTensor<float>({2}, {3, 7})).Run();
  OpTest("Sum").Input(x).Input(Tensor::Vector<int64_t>({0, 1}))
      .Expect(MakeTensor<float>({}, {10})).Run();
  OpTest("Sum").Input(Tensor::Scalar(5.0f)).Input(Axes({})).Expect(Tensor::Scalar(5.0f)).Run();
}

TEST(Sum, RejectsWrongAxes) {
  const Tensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  OpTest("Sum").Input(x).Input(Axes({2})).RunExpectingError(Code::kInvalidArgument, "range");
  OpTest("Sum").Input(x).Input(Axes({-3})).RunExpectingError(Code::kInvalidArgument, "range");
  OpTest("Sum").Input(x).Input(Axes({0, -2}))
      .RunExpectingError(Code::kInvalidArgument, "duplicate dimension");
  OpTest("Sum").Input(x).Input(MakeTensor<int32_t>({1, 1}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "scalar or a vector");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
