#include "testing/random_values.h"
#include "testing/volume_reference.h"

namespace tfbuild {
namespace testing {
namespace {

using Three = VolumeCase::Three;

const char kCancel[] = "terms of both signs cancel";
constexpr int64_t kOut = 4;  // channels

Tensor Int32s(const Shape& shape) {
  return Tensor::Vector<int32_t>({shape.dims().begin(), shape.dims().end()});
}

template <typename T>
Tensor Numbers(const Shape& shape, uint64_t seed) {
  return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
}

Shape FilterOf(const VolumeCase& c) {
  return {c.window[0], c.window[1], c.window[2], c.channels, kOut};
}

OpTest Conv(const std::string& op, const VolumeCase& c) {
  OpTest test(op);
  test.Attr("strides", c.PerDimension(c.strides)).Attr("dilations", c.PerDimension(c.dilations));
  test.Attr("padding", c.padding).Attr("data_format", c.format);
  return test;
}

// Calls body(input index, filter index, output index) for each product of the convolution.
template <typename Body>
void ForEachProduct(const VolumeCase& c, const Body& body) {
  const Three outputs = c.Outputs();
  c.ForEachPlace([&](int64_t b, const Three& out, const Three& place, const Three& in) {
    const int64_t at = (place[0] * c.window[1] + place[1]) * c.window[2] + place[2];
    for (int64_t i = 0; i < c.channels; ++i) {
      for (int64_t o = 0; o < kOut; ++o) {
        body(c.At(c.sizes, c.channels, b, in, i),
             static_cast<size_t>((at * c.channels + i) * kOut + o),
             c.At(outputs, kOut, b, out, o));
      }
    }
  });
}

template <typename T>
void Check(const VolumeCase& c, double slack) {
  const Shape out = c.Volumes(c.Outputs(), kOut);
  const Tensor input = Numbers<T>(c.Input(), 1);
  const Tensor filter = Numbers<T>(FilterOf(c), 2);
  const Tensor gradient = Numbers<T>(out, 3);
  const std::vector<double> x = Values(input), w = Values(filter), g = Values(gradient);
  std::vector<double> y(g.size(), 0.0), dx(x.size(), 0.0), dw(w.size(), 0.0);
  ForEachProduct(c, [&](size_t i, size_t f, size_t o) {
    y[o] += x[i] * w[f];
    dx[i] += g[o] * w[f];
    dw[f] += g[o] * x[i];
  });
  const Closeness near = Slack(slack, kCancel);
  Conv("Conv3D", c).Input(input).Input(filter).Expect(MakeTensor<T>(out, y)).Within(near).Run();
  Conv("Conv3DBackpropInputV2", c).Input(Int32s(c.Input())).Input(filter).Input(gradient)
      .Expect(MakeTensor<T>(c.Input(), dx)).Within(near).Run();
  Conv("Conv3DBackpropFilterV2", c).Input(input).Input(Int32s(FilterOf(c))).Input(gradient)
      .Expect(MakeTensor<T>(FilterOf(c), dw)).Within(near).Run();
}

template <typename T>
void CheckAll(double slack) {
  for (const VolumeCase& c : VolumeCases()) Check<T>(c, slack);
}

TEST(Conv3D, Float) { CheckAll<float>(2e-5); }
TEST(Conv3D, Double) { CheckAll<double>(1e-13); }
TEST(Conv3D, Half) { CheckAll<Half>(4e-2); }
TEST(Conv3D, BFloat16) { CheckAll<BFloat16>(3e-1); }

TEST(Conv3D, Dilated) {
  for (const char* format : {"NDHWC", "NCDHW"}) {
    VolumeCase c;
    c.format = format;
    c.dilations = {2, 1, 3};
    Check<float>(c, 2e-5);
    c.padding = "VALID";
    Check<double>(c, 1e-13);
  }
}

// Its columns do not all fit into one product.
TEST(Conv3D, ManyPixels) {
  VolumeCase c;
  c.batch = 3;
  c.sizes = {20, 21, 22};
  c.window = {3, 3, 3};
  c.channels = 5;
  Check<double>(c, 1e-11);
}

TEST(Conv3D, OfNothing) {
  VolumeCase c;
  c.batch = 0;
  Check<float>(c, 0);
}

TEST(Conv3D, Refuses) {
  const VolumeCase c;
  Conv("Conv3D", c).Input(Numbers<float>({2, 3}, 1)).Input(Numbers<float>(FilterOf(c), 2))
      .RunExpectingError(Code::kInvalidArgument, "rank 5");
  Conv("Conv3D", c).Input(Numbers<float>(c.Input(), 1)).Input(Numbers<float>({1, 1, 1, 2, 4}, 2))
      .RunExpectingError(Code::kInvalidArgument, "");
  Conv("Conv3DBackpropInputV2", c).Input(Int32s(c.Input())).Input(Numbers<float>(FilterOf(c), 2))
      .Input(Numbers<float>({1, 1, 1, 1, 4}, 3))
      .RunExpectingError(Code::kInvalidArgument, "out_backprop");
  Conv("Conv3DBackpropFilterV2", c).Input(Numbers<float>(c.Input(), 1))
      .Input(Tensor::Vector<int32_t>({2, 3, -2, 3, 4}))
      .Input(Numbers<float>(c.Volumes(c.Outputs(), 4), 3))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(Conv3D, RefusesStridesOfChannels) {
  const VolumeCase c;
  OpTest test("Conv3D");
  test.Attr("strides", std::vector<int64_t>{1, 1, 1, 1, 2}).Attr("padding", "SAME");
  test.Input(Numbers<float>(c.Input(), 1)).Input(Numbers<float>(FilterOf(c), 2));
  test.RunExpectingError(Code::kInvalidArgument, "strides");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
