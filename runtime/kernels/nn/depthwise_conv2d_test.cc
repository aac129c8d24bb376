#include <numeric>

#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kCancel[] = "terms of both signs cancel";

using Ints = std::vector<int64_t>;

constexpr int64_t kBatch = 2, kHeight = 6, kWidth = 5, kChannels = 3, kMultiplier = 2;
constexpr int64_t kRows = 3, kCols = 2;
const Shape kInput = {kBatch, kHeight, kWidth, kChannels};
const Shape kFilter = {kRows, kCols, kChannels, kMultiplier};
const Shape kOutput = {kBatch, kHeight - kRows + 1, kWidth - kCols + 1, kChannels * kMultiplier};

size_t At(const Shape& shape, int64_t a, int64_t b, int64_t c, int64_t d) {
  return static_cast<size_t>(((a * shape.dim(1) + b) * shape.dim(2) + c) * shape.dim(3) + d);
}

// By definition, without padding and with steps of 1.
std::vector<double> Reference(const std::vector<double>& x, const std::vector<double>& w) {
  std::vector<double> y(static_cast<size_t>(kOutput.num_elements()), 0.0);
  for (int64_t b = 0; b < kBatch; ++b)
    for (int64_t r = 0; r < kOutput.dim(1); ++r)
      for (int64_t s = 0; s < kOutput.dim(2); ++s)
        for (int64_t c = 0; c < kChannels; ++c)
          for (int64_t m = 0; m < kMultiplier; ++m)
            for (int64_t p = 0; p < kRows; ++p)
              for (int64_t q = 0; q < kCols; ++q) {
                y[At(kOutput, b, r, s, c * kMultiplier + m)] +=
                    x[At(kInput, b, r + p, s + q, c)] * w[At(kFilter, p, q, c, m)];
              }
  return y;
}

template <typename T>
Tensor Numbers(const Shape& shape, uint64_t seed) {
  return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
}

Tensor Int32s(const Shape& shape) {
  return Tensor::Vector<int32_t>({shape.dims().begin(), shape.dims().end()});
}

OpTest Make(const std::string& op, const std::vector<Tensor>& inputs) {
  OpTest test(op);
  for (const Tensor& input : inputs) test.Input(input);
  test.Attr("strides", Ints{1, 1, 1, 1}).Attr("padding", std::string("VALID"));
  return test;
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The convolution is linear in each operand, so a gradient's product with any other operand must be
// the product of the output's gradient with the convolution of that operand.
template <typename T>
void Check(double slack) {
  const Tensor x = Numbers<T>(kInput, 1);
  const Tensor w = Numbers<T>(kFilter, 2);
  const Tensor g = Numbers<T>(kOutput, 3);
  Make("DepthwiseConv2dNative", {x, w})
      .Expect(MakeTensor<T>(kOutput, Reference(Values(x), Values(w))))
      .Within(Slack(slack, kCancel))
      .Run();
  const auto dx = Make("DepthwiseConv2dNativeBackpropInput", {Int32s(kInput), w, g}).RunOnCpu();
  const auto dw = Make("DepthwiseConv2dNativeBackpropFilter", {x, Int32s(kFilter), g}).RunOnCpu();
  ASSERT_OK(dx);
  ASSERT_OK(dw);
  EXPECT_EQ((*dx)[0].shape(), kInput);
  EXPECT_EQ((*dw)[0].shape(), kFilter);
  for (const uint64_t seed : {4, 5, 6}) {
    const std::vector<double> u = RandomValues(kInput.num_elements(), seed);
    const std::vector<double> v = RandomValues(kFilter.num_elements(), seed);
    EXPECT_NEAR(Dot(Values((*dx)[0]), u), Dot(Values(g), Reference(u, Values(w))), 30 * slack);
    EXPECT_NEAR(Dot(Values((*dw)[0]), v), Dot(Values(g), Reference(Values(x), v)), 30 * slack);
  }
}

TEST(DepthwiseConv2d, Float) { Check<float>(1e-6); }
TEST(DepthwiseConv2d, Double) { Check<double>(1e-14); }
TEST(DepthwiseConv2d, Half) { Check<Half>(2e-3); }
TEST(DepthwiseConv2d, BFloat16) { Check<BFloat16>(2e-2); }

TEST(DepthwiseConv2d, RejectsOtherNumberOfChannels) {
  Make("DepthwiseConv2dNative", {Numbers<float>({1, 4, 4, 2}, 1), Numbers<float>(kFilter, 1)})
      .RunExpectingError(Code::kInvalidArgument, "channels");
}

TEST(DepthwiseConv2d, RejectsGradientOfAnotherShape) {
  Make("DepthwiseConv2dNativeBackpropInput",
       {Int32s(kInput), Numbers<float>(kFilter, 1), Numbers<float>(kInput, 1)})
      .RunExpectingError(Code::kInvalidArgument, "out_backprop");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
