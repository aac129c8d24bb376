#include <cmath>

#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kPowers[] = "a power of a sum";
constexpr int64_t kChannels = 7;
constexpr int64_t kRadius = 2;
constexpr double kBias = 2, kAlpha = 0.5, kBeta = 0.75;

double Norm(const std::vector<double>& x, int64_t pixel, int64_t c) {
  double sum = 0;
  for (int64_t j = std::max<int64_t>(0, c - kRadius); j <= std::min(kChannels - 1, c + kRadius); ++j) {
    sum += std::pow(x[static_cast<size_t>(pixel * kChannels + j)], 2);
  }
  return kBias + kAlpha * sum;
}

std::vector<double> Normalised(const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    y[i] = x[i] * std::pow(Norm(x, at / kChannels, at % kChannels), -kBeta);
  }
  return y;
}

OpTest Test(const char* op) {
  OpTest test(op);
  test.Attr("depth_radius", kRadius).Attr("bias", static_cast<float>(kBias));
  test.Attr("alpha", static_cast<float>(kAlpha)).Attr("beta", static_cast<float>(kBeta));
  return test;
}

template <typename T>
void Check(double slack) {
  const Shape shape{2, 1, 3, kChannels};
  const Tensor x = MakeTensor<T>(shape, RandomValues(shape.num_elements(), 1));
  Test("LRN").Input(x).Expect(MakeTensor<T>(shape, Normalised(Values(x))))
      .Within(Slack(slack, kPowers)).Run();
}

TEST(Lrn, Float) { Check<float>(1e-7); }
TEST(Lrn, Half) { Check<Half>(1e-3); }
TEST(Lrn, BFloat16) { Check<BFloat16>(1e-2); }

TEST(Lrn, GradientIsThatOfTheFormula) {
  const Shape shape{1, 1, 2, kChannels};
  const Tensor x = MakeTensor<float>(shape, RandomValues(shape.num_elements(), 2));
  const Tensor gradient = MakeTensor<float>(shape, RandomValues(shape.num_elements(), 3));
  const std::vector<double> values = Values(x), back = Values(gradient);
  std::vector<double> expected(values.size());
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < values.size(); ++i) {  // central differences
    std::vector<double> more = values, less = values;
    more[i] += kStep;
    less[i] -= kStep;
    const std::vector<double> up = Normalised(more), down = Normalised(less);
    for (size_t j = 0; j < values.size(); ++j) {
      expected[i] += back[j] * (up[j] - down[j]) / (2 * kStep);
    }
  }
  Test("LRNGrad").Input(gradient).Input(x).Input(MakeTensor<float>(shape, Normalised(values)))
      .Expect(MakeTensor<float>(shape, expected)).Within(Slack(1e-6, kPowers)).Run();
}

TEST(Lrn, RejectsOtherRanksAndRadii) {
  OpTest("LRN").Input(MakeTensor<float>({2}, {1, 2})).RunExpectingError(Code::kInvalidArgument, "");
  OpTest("LRN").Input(MakeTensor<float>({1, 1, 1, 1}, {1})).Attr("depth_radius", int64_t{-1})
      .RunExpectingError(Code::kInvalidArgument, "depth_radius");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
