#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kCancel[] = "terms of both signs cancel";

const std::string kNchw = "NCHW";

template <typename T>
void AddsToEachRow() {
  OpTest("BiasAdd")
      .Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(MakeTensor<T>({3}, {10, 20, 30}))
      .Expect(MakeTensor<T>({2, 3}, {11, 22, 33, 14, 25, 36}))
      .Run();
}

TEST(BiasAdd, Float) { AddsToEachRow<float>(); }
TEST(BiasAdd, Double) { AddsToEachRow<double>(); }
TEST(BiasAdd, Half) { AddsToEachRow<Half>(); }
TEST(BiasAdd, BFloat16) { AddsToEachRow<BFloat16>(); }
TEST(BiasAdd, Int32) { AddsToEachRow<int32_t>(); }
TEST(BiasAdd, Int64) { AddsToEachRow<int64_t>(); }

TEST(BiasAdd, ChannelsFirst) {
  OpTest("BiasAdd")
      .Input(MakeTensor<float>({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .Input(MakeTensor<float>({2}, {10, 20}))
      .Attr("data_format", kNchw)
      .Expect(MakeTensor<float>({2, 2, 1, 2}, {11, 12, 23, 24, 15, 16, 27, 28}))
      .Run();
}

TEST(BiasAdd, Large) {
  const int64_t rows = 700;
  const int64_t channels = 131;
  const Tensor value = MakeTensor<float>({rows, channels}, RandomValues(rows * channels, 1));
  const Tensor bias = MakeTensor<float>({channels}, RandomValues(channels, 2));
  std::vector<double> expected = Values(value);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += Values(bias)[i % 131];
  OpTest("BiasAdd")
      .Input(value)
      .Input(bias)
      .Expect(MakeTensor<float>({rows, channels}, expected))
      .Run();
}

TEST(BiasAdd, Empty) {
  OpTest("BiasAdd")
      .Input(MakeTensor<float>({0, 3}, {}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .Expect(MakeTensor<float>({0, 3}, {}))
      .Run();
}

TEST(BiasAdd, RejectsBiasOfAnotherSize) {
  OpTest("BiasAdd")
      .Input(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(BiasAdd, RejectsVector) {
  OpTest("BiasAdd")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "rank 2");
}

template <typename T>
void SumsEachColumn() {
  OpTest("BiasAddGrad")
      .Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Expect(MakeTensor<T>({3}, {5, 7, 9}))
      .Run();
}

TEST(BiasAddGrad, Float) { SumsEachColumn<float>(); }
TEST(BiasAddGrad, Double) { SumsEachColumn<double>(); }
TEST(BiasAddGrad, Half) { SumsEachColumn<Half>(); }
TEST(BiasAddGrad, BFloat16) { SumsEachColumn<BFloat16>(); }
TEST(BiasAddGrad, Int64) { SumsEachColumn<int64_t>(); }

TEST(BiasAddGrad, ChannelsFirst) {
  OpTest("BiasAddGrad")
      .Input(MakeTensor<float>({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .Attr("data_format", kNchw)
      .Expect(MakeTensor<float>({2}, {14, 22}))
      .Run();
}

TEST(BiasAddGrad, Large) {
  const Tensor gradient = MakeTensor<float>({3000, 70}, RandomValues(3000 * 70, 3));
  const std::vector<double> values = Values(gradient);
  std::vector<double> expected(70, 0.0);
  for (size_t i = 0; i < values.size(); ++i) expected[i % 70] += values[i];
  OpTest("BiasAddGrad")
      .Input(gradient)
      .Expect(MakeTensor<float>({70}, expected))
      .Within(Slack(3e-4, kCancel))
      .Run();
}

TEST(BiasAddGrad, EmptyGivesZeros) {
  OpTest("BiasAddGrad")
      .Input(MakeTensor<float>({0, 2}, {}))
      .Expect(MakeTensor<float>({2}, {0, 0}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
