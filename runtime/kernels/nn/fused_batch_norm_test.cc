#include <cmath>

#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kSums[] = "sums over a channel, of which differences are taken";
const std::string kNchw = "NCHW";
const std::string kNhwc = "NHWC";
constexpr double kEpsilon = 0.001f;

// One batch seen as [outer, channels, inner], all in double.
struct Batch {
  int64_t outer, channels, inner;
  std::vector<double> x, scale, offset, gradient;
  std::vector<double> mean, variance;

  Batch(int64_t outer_size, int64_t channel_count, int64_t inner_size, uint64_t seed)
      : outer(outer_size), channels(channel_count), inner(inner_size) {
    const int64_t count = outer * channels * inner;
    x = Values(MakeTensor<float>({count}, RandomValues(count, seed)));
    gradient = Values(MakeTensor<float>({count}, RandomValues(count, seed + 1)));
    scale = Values(MakeTensor<float>({channels}, RandomValues(channels, seed + 2)));
    offset = Values(MakeTensor<float>({channels}, RandomValues(channels, seed + 3)));
    mean = Mean([this](size_t i, size_t) { return x[i]; });
    variance = Mean([this](size_t i, size_t c) { return std::pow(x[i] - mean[c], 2); });
  }

  double count() const { return static_cast<double>(outer * inner); }
  size_t ChannelOf(size_t i) const { return i / static_cast<size_t>(inner) % scale.size(); }
  double Root(size_t c) const { return 1 / std::sqrt(variance[c] + kEpsilon); }

  template <typename Term>
  std::vector<double> Mean(const Term& term) const {
    std::vector<double> sums(static_cast<size_t>(channels), 0.0);
    for (size_t i = 0; i < x.size(); ++i) sums[ChannelOf(i)] += term(i, ChannelOf(i));
    for (double& sum : sums) sum /= count();
    return sums;
  }
  template <typename Formula>
  std::vector<double> ForEach(const Formula& formula) const {
    std::vector<double> values(x.size());
    for (size_t i = 0; i < x.size(); ++i) values[i] = formula(i, ChannelOf(i));
    return values;
  }
  std::vector<double> Normalised() const {
    return ForEach([this](size_t i, size_t c) {
      return (x[i] - mean[c]) * Root(c) * scale[c] + offset[c];
    });
  }
  Shape shape() const {
    return inner == 1 ? Shape{outer, 1, 1, channels} : Shape{outer, channels, 1, inner};
  }
  const std::string& format() const { return inner == 1 ? kNhwc : kNchw; }
};

Tensor Vector(const std::vector<double>& values) {
  return MakeTensor<float>({static_cast<int64_t>(values.size())}, values);
}

template <typename T>
void Trains(const char* op, int64_t outer, int64_t channels, int64_t inner, double slack) {
  Batch batch(outer, channels, inner, 3);
  const Tensor x = MakeTensor<T>(batch.shape(), batch.x);
  std::vector<double> whole = batch.variance;
  for (double& value : whole) value *= batch.count() / std::max(batch.count() - 1, 1.0);
  OpTest(op)
      .Input(x).Input(Vector(batch.scale)).Input(Vector(batch.offset))
      .Input(Vector({})).Input(Vector({}))
      .Attr("epsilon", static_cast<float>(kEpsilon)).Attr("data_format", batch.format())
      .Expect(MakeTensor<T>(batch.shape(), batch.Normalised()))
      .Expect(Vector(batch.mean)).Expect(Vector(whole))
      .Expect(Vector(batch.mean)).Expect(Vector(batch.variance))
      .Within(Slack(slack, kSums)).Run();
}

TEST(FusedBatchNorm, TrainsChannelsLast) {
  Trains<float>("FusedBatchNorm", 6, 3, 1, 2e-6);
  Trains<float>("FusedBatchNormV3", 1000, 37, 1, 1e-5);
}
TEST(FusedBatchNorm, TrainsChannelsFirst) {
  Trains<float>("FusedBatchNormV2", 3, 5, 7, 2e-6);
  Trains<float>("FusedBatchNormV3", 2, 3, 9000, 1e-5);
}
TEST(FusedBatchNorm, Half) { Trains<Half>("FusedBatchNormV3", 50, 4, 1, 4e-3); }
TEST(FusedBatchNorm, BFloat16) { Trains<BFloat16>("FusedBatchNormV3", 50, 4, 1, 3e-2); }

TEST(FusedBatchNorm, UsesWhatItIsGivenWithoutTraining) {
  OpTest("FusedBatchNormV3")
      .Input(MakeTensor<float>({1, 1, 2, 2}, {1, 2, 3, 6}))
      .Input(Vector({2, 1})).Input(Vector({1, 0})).Input(Vector({1, 2})).Input(Vector({4, 16}))
      .Attr("epsilon", 0.0f).Attr("is_training", false)
      .Expect(MakeTensor<float>({1, 1, 2, 2}, {1, 0, 3, 1}))
      .Expect(Vector({1, 2})).Expect(Vector({4, 16}))
      .Run();
}

TEST(FusedBatchNorm, MixesInTheMovingMeans) {
  OpTest("FusedBatchNormV3")
      .Input(MakeTensor<float>({2, 1, 1, 1}, {1, 3}))
      .Input(Vector({1})).Input(Vector({0})).Input(Vector({10})).Input(Vector({20}))
      .Attr("epsilon", 0.0f).Attr("exponential_avg_factor", 0.25f)
      .Expect(MakeTensor<float>({2, 1, 1, 1}, {-1, 1}))
      .Expect(Vector({8})).Expect(Vector({15.5}))
      .Run();
}

TEST(FusedBatchNorm, NoExamples) {
  const Result<std::vector<Tensor>> outputs =
      OpTest("FusedBatchNormV3")
          .Input(MakeTensor<float>({0, 2, 2, 3}, {}))
          .Input(Vector({1, 1, 1})).Input(Vector({0, 0, 0})).Input(Vector({})).Input(Vector({}))
          .RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ((*outputs)[0].num_elements(), int64_t{0});
  EXPECT_TRUE(std::isnan((*outputs)[1].data<float>()[0]));
}

template <typename T>
void GoesBack(const char* op, int inputs, bool training, int64_t inner, double slack) {
  Batch batch(9, 4, inner, 5);
  const auto sum = batch.Mean([&](size_t i, size_t) { return batch.gradient[i]; });
  const auto product = batch.Mean([&](size_t i, size_t c) {
    return batch.gradient[i] * (batch.x[i] - batch.mean[c]);
  });
  std::vector<double> by_scale, by_offset;
  for (size_t c = 0; c < sum.size(); ++c) {
    by_scale.push_back(product[c] * batch.Root(c) * batch.count());
    by_offset.push_back(sum[c] * batch.count());
  }
  const auto by_x = batch.ForEach([&](size_t i, size_t c) {
    const double root = batch.Root(c);
    const double shared = sum[c] + (batch.x[i] - batch.mean[c]) * root * root * product[c];
    return batch.scale[c] * root * (batch.gradient[i] - (training ? shared : 0));
  });
  OpTest test(op);
  test.Input(MakeTensor<T>(batch.shape(), batch.gradient))
      .Input(MakeTensor<T>(batch.shape(), batch.x))
      .Input(Vector(batch.scale)).Input(Vector(batch.mean)).Input(Vector(batch.variance));
  if (inputs == 6) test.Input(Vector({0}));
  test.Attr("epsilon", static_cast<float>(kEpsilon)).Attr("data_format", batch.format())
      .Attr("is_training", training)
      .Expect(MakeTensor<T>(batch.shape(), by_x))
      .Expect(Vector(by_scale)).Expect(Vector(by_offset))
      .Within(Slack(slack, kSums)).Run();
}

TEST(FusedBatchNormGrad, Training) {
  GoesBack<float>("FusedBatchNormGrad", 5, true, 1, 1e-5);
  GoesBack<float>("FusedBatchNormGradV2", 5, true, 6, 1e-5);
  GoesBack<float>("FusedBatchNormGradV3", 6, true, 1, 1e-5);
}
TEST(FusedBatchNormGrad, Inference) {
  GoesBack<float>("FusedBatchNormGradV3", 6, false, 1, 1e-5);
  GoesBack<float>("FusedBatchNormGradV3", 6, false, 6, 1e-5);
}
TEST(FusedBatchNormGrad, Half) { GoesBack<Half>("FusedBatchNormGradV3", 6, true, 1, 2e-2); }

TEST(FusedBatchNorm, RejectsOtherSizes) {
  const Tensor x = MakeTensor<float>({1, 1, 1, 2}, {1, 2});
  OpTest("FusedBatchNormV3")
      .Input(x).Input(Vector({1})).Input(Vector({0, 0})).Input(Vector({})).Input(Vector({}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("FusedBatchNormV3")
      .Input(x).Input(Vector({1, 1})).Input(Vector({0, 0})).Input(Vector({1})).Input(Vector({1}))
      .Attr("is_training", false)
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("FusedBatchNormGradV3")
      .Input(MakeTensor<float>({1, 1, 2, 1}, {1, 2})).Input(x).Input(Vector({1, 1}))
      .Input(Vector({1, 1})).Input(Vector({1, 1})).Input(Vector({0}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
