#include <limits>

#include "testing/random_values.h"
#include "testing/volume_reference.h"

namespace tfbuild {
namespace testing {
namespace {

using Three = VolumeCase::Three;

const char kCancel[] = "terms of both signs cancel";

Tensor Int32s(const Shape& shape) {
  return Tensor::Vector<int32_t>({shape.dims().begin(), shape.dims().end()});
}

template <typename T>
Tensor Numbers(const Shape& shape, uint64_t seed) {
  return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
}

OpTest Pool(const std::string& op, const VolumeCase& c) {
  OpTest test(op);
  test.Attr("ksize", c.PerDimension(c.window)).Attr("strides", c.PerDimension(c.strides));
  test.Attr("padding", c.padding).Attr("data_format", c.format);
  return test;
}

// The inputs under each window of each channel, by its output.
std::vector<std::vector<size_t>> Covered(const VolumeCase& c) {
  const Three outputs = c.Outputs();
  std::vector<std::vector<size_t>> covered(
      static_cast<size_t>(c.Volumes(outputs, c.channels).num_elements()));
  c.ForEachPlace([&](int64_t b, const Three& out, const Three&, const Three& in) {
    for (int64_t i = 0; i < c.channels; ++i) {
      covered[c.At(outputs, c.channels, b, out, i)].push_back(
          c.At(c.sizes, c.channels, b, in, i));
    }
  });
  return covered;
}

template <typename T>
void CheckAverage(const VolumeCase& c, double slack) {
  const Shape out = c.Volumes(c.Outputs(), c.channels);
  const Tensor input = Numbers<T>(c.Input(), 1), gradient = Numbers<T>(out, 2);
  const std::vector<double> x = Values(input), g = Values(gradient);
  std::vector<double> mean(g.size(), 0.0), dx(x.size(), 0.0);
  const auto covered = Covered(c);
  for (size_t o = 0; o < g.size(); ++o) {
    for (const size_t i : covered[o]) {
      mean[o] += x[i] / static_cast<double>(covered[o].size());
      dx[i] += g[o] / static_cast<double>(covered[o].size());
    }
  }
  const Closeness near = Slack(slack, kCancel);
  Pool("AvgPool3D", c).Input(input).Expect(MakeTensor<T>(out, mean)).Within(near).Run();
  Pool("AvgPool3DGrad", c).Input(Int32s(c.Input())).Input(gradient)
      .Expect(MakeTensor<T>(c.Input(), dx)).Within(near).Run();
}

template <typename T>
void CheckMaximum(const VolumeCase& c, double slack) {
  const Shape out = c.Volumes(c.Outputs(), c.channels);
  const Tensor input = Numbers<T>(c.Input(), 1), gradient = Numbers<T>(out, 2);
  const std::vector<double> x = Values(input), g = Values(gradient);
  std::vector<double> most(g.size(), 0.0), dx(x.size(), 0.0);
  const auto covered = Covered(c);
  for (size_t o = 0; o < g.size(); ++o) {
    size_t best = covered[o].front();
    for (const size_t i : covered[o]) best = x[i] > x[best] ? i : best;
    most[o] = x[best];
    for (const size_t i : covered[o]) dx[i] += x[i] == x[best] ? g[o] : 0;
  }
  const Tensor pooled = MakeTensor<T>(out, most);
  Pool("MaxPool3D", c).Input(input).Expect(pooled).Run();
  Pool("MaxPool3DGrad", c).Input(input).Input(pooled).Input(gradient)
      .Expect(MakeTensor<T>(c.Input(), dx)).Within(Slack(slack, kCancel)).Run();
}

template <typename T>
void CheckAll(double slack) {
  for (const VolumeCase& c : VolumeCases()) {
    CheckAverage<T>(c, slack);
    CheckMaximum<T>(c, slack);
  }
}

TEST(Pool3D, Float) { CheckAll<float>(1e-6); }
TEST(Pool3D, Half) { CheckAll<Half>(4e-3); }
TEST(Pool3D, BFloat16) { CheckAll<BFloat16>(3e-2); }
TEST(AvgPool3D, Double) {
  for (const VolumeCase& c : VolumeCases()) CheckAverage<double>(c, 1e-14);
}

TEST(Pool3D, OfNothing) {
  VolumeCase c;
  c.batch = 0;
  CheckAverage<float>(c, 0);
  CheckMaximum<float>(c, 0);
}

TEST(MaxPool3D, PassesGradientsToAllThatAreLargest) {
  VolumeCase c;
  c.batch = c.channels = 1;
  c.sizes = c.window = {1, 1, 3};
  c.padding = "VALID";
  Pool("MaxPool3DGrad", c).Input(MakeTensor<float>(c.Input(), {4, 1, 4}))
      .Input(MakeTensor<float>({1, 1, 1, 1, 1}, {4})).Input(MakeTensor<float>({1, 1, 1, 1, 1}, {2}))
      .Expect(MakeTensor<float>(c.Input(), {2, 0, 2})).Run();
}

TEST(MaxPool3D, PassesOnWhatIsNoNumber) {
  VolumeCase c;
  c.batch = c.channels = 1;
  c.sizes = c.window = {1, 1, 3};
  c.padding = "VALID";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor input = MakeTensor<float>(c.Input(), {5, nan, 7});
  const Tensor pooled = MakeTensor<float>({1, 1, 1, 1, 1}, {nan});
  Pool("MaxPool3D", c).Input(input).Expect(pooled).Run();
  Pool("MaxPool3DGrad", c).Input(input).Input(pooled).Input(MakeTensor<float>({1, 1, 1, 1, 1}, {2}))
      .Expect(MakeTensor<float>(c.Input(), {0, 2, 0})).Run();
}

TEST(Pool3D, Refuses) {
  const VolumeCase c;
  for (const char* op : {"MaxPool3D", "AvgPool3D"}) {
    Pool(op, c).Input(Numbers<float>({4}, 1)).RunExpectingError(Code::kInvalidArgument, "rank 5");
  }
  Pool("AvgPool3DGrad", c).Input(Int32s(c.Input())).Input(Numbers<float>({1, 1, 1, 1, 1}, 1))
      .RunExpectingError(Code::kInvalidArgument, "grad");
  Pool("MaxPool3DGrad", c).Input(Numbers<float>(c.Input(), 1))
      .Input(Numbers<float>({1, 1, 1, 1, 1}, 1)).Input(Numbers<float>({1, 1, 1, 1, 1}, 1))
      .RunExpectingError(Code::kInvalidArgument, "orig_output");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
