#include "kernels/nn/conv_dimensions.h"
#include "testing/limited_work.h"
#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kCancel[] = "terms of both signs cancel";

using Ints = std::vector<int64_t>;

struct Case {
  int64_t batch = 2, height = 7, width = 6, in = 4, out = 6;
  int64_t filter_rows = 3, filter_cols = 2, groups = 1;
  int64_t stride_rows = 1, stride_cols = 1, dilation_rows = 1, dilation_cols = 1;
  std::string padding = "SAME", format = "NHWC";
  Ints pads = {};  // top, bottom, left, right

  bool last() const { return format == "NHWC"; }
  Ints PerDimension(int64_t rows, int64_t cols) const {
    return last() ? Ints{1, rows, cols, 1} : Ints{1, 1, rows, cols};
  }
  Shape Image(int64_t rows, int64_t cols, int64_t channels) const {
    return last() ? Shape{batch, rows, cols, channels} : Shape{batch, channels, rows, cols};
  }
  Shape InputShape() const { return Image(height, width, in); }
  Shape FilterShape() const { return {filter_rows, filter_cols, in / groups, out}; }
  AttrMap Attrs() const {
    AttrMap attrs{{"strides", PerDimension(stride_rows, stride_cols)},
                  {"dilations", PerDimension(dilation_rows, dilation_cols)},
                  {"padding", padding},
                  {"data_format", format}};
    if (!pads.empty()) {
      attrs["explicit_paddings"] = last()
                                       ? Ints{0, 0, pads[0], pads[1], pads[2], pads[3], 0, 0}
                                       : Ints{0, 0, 0, 0, pads[0], pads[1], pads[2], pads[3]};
    }
    return attrs;
  }
};

// Sizes along one dimension, from TensorFlow's description of padding.
struct Line {
  int64_t output, before;
};
Line LineOf(const Case& c, int64_t input, int64_t filter, int64_t stride, int64_t dilation,
            size_t pad) {
  const int64_t reach = (filter - 1) * dilation + 1;
  if (c.padding == "VALID") return {(input - reach) / stride + 1, 0};
  if (c.padding == "EXPLICIT") {
    return {(input + c.pads[pad] + c.pads[pad + 1] - reach) / stride + 1, c.pads[pad]};
  }
  const int64_t output = (input + stride - 1) / stride;
  return {output, std::max<int64_t>(0, (output - 1) * stride + reach - input) / 2};
}

int64_t At(const Case& c, const Shape& shape, int64_t b, int64_t row, int64_t col, int64_t ch) {
  if (c.last()) return ((b * shape.dim(1) + row) * shape.dim(2) + col) * shape.dim(3) + ch;
  return ((b * shape.dim(1) + ch) * shape.dim(2) + row) * shape.dim(3) + col;
}

// Calls body(input index, filter index, output index) for each product of the convolution.
template <typename Body>
Shape ForEachProduct(const Case& c, const Body& body) {
  const Line rows = LineOf(c, c.height, c.filter_rows, c.stride_rows, c.dilation_rows, 0);
  const Line cols = LineOf(c, c.width, c.filter_cols, c.stride_cols, c.dilation_cols, 2);
  const Shape input = c.InputShape();
  const Shape output = c.Image(rows.output, cols.output, c.out);
  const int64_t depth = c.in / c.groups;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t r = 0; r < rows.output; ++r)
      for (int64_t s = 0; s < cols.output; ++s)
        for (int64_t o = 0; o < c.out; ++o)
          for (int64_t p = 0; p < c.filter_rows; ++p)
            for (int64_t q = 0; q < c.filter_cols; ++q)
              for (int64_t i = 0; i < depth; ++i) {
                const int64_t y = r * c.stride_rows + p * c.dilation_rows - rows.before;
                const int64_t x = s * c.stride_cols + q * c.dilation_cols - cols.before;
                if (y < 0 || y >= c.height || x < 0 || x >= c.width) continue;
                const int64_t channel = o / (c.out / c.groups) * depth + i;
                body(static_cast<size_t>(At(c, input, b, y, x, channel)),
                     static_cast<size_t>(((p * c.filter_cols + q) * depth + i) * c.out + o),
                     static_cast<size_t>(At(c, output, b, r, s, o)));
              }
  return output;
}

Tensor Int32s(const Shape& shape) {
  return Tensor::Vector<int32_t>({shape.dims().begin(), shape.dims().end()});
}

void RunCase(const Case& c, const std::string& op, const std::vector<Tensor>& inputs,
             const Tensor& expected, double slack) {
  OpTest test(op);
  for (const Tensor& input : inputs) test.Input(input);
  for (const auto& [name, value] : c.Attrs()) test.Attr(name, value);
  test.Expect(expected).Within(Slack(slack, kCancel)).Run();
}

template <typename T>
void Check(const Case& c, double slack) {
  const Shape in_shape = c.InputShape();
  const Shape filter_shape = c.FilterShape();
  const Tensor input = MakeTensor<T>(in_shape, RandomValues(in_shape.num_elements(), 1));
  const Tensor filter = MakeTensor<T>(filter_shape, RandomValues(filter_shape.num_elements(), 2));
  const std::vector<double> x = Values(input);
  const std::vector<double> w = Values(filter);
  const Shape out_shape = ForEachProduct(c, [](size_t, size_t, size_t) {});
  std::vector<double> y(static_cast<size_t>(out_shape.num_elements()), 0.0);
  ForEachProduct(c, [&](size_t i, size_t f, size_t o) { y[o] += x[i] * w[f]; });
  RunCase(c, "Conv2D", {input, filter}, MakeTensor<T>(out_shape, y), slack);

  const Tensor gradient = MakeTensor<T>(out_shape, RandomValues(out_shape.num_elements(), 3));
  const std::vector<double> g = Values(gradient);
  std::vector<double> dx(x.size(), 0.0);
  std::vector<double> dw(w.size(), 0.0);
  ForEachProduct(c, [&](size_t i, size_t f, size_t o) {
    dx[i] += g[o] * w[f];
    dw[f] += g[o] * x[i];
  });
  RunCase(c, "Conv2DBackpropInput", {Int32s(in_shape), filter, gradient},
          MakeTensor<T>(in_shape, dx), slack);
  RunCase(c, "Conv2DBackpropFilter", {input, Int32s(filter_shape), gradient},
          MakeTensor<T>(filter_shape, dw), slack);
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* format : {"NHWC", "NCHW"}) {
    Case base;
    base.format = format;
    cases.push_back(base);
    Case strided = base;
    strided.padding = "VALID";
    strided.stride_rows = 2;
    strided.stride_cols = 3;
    cases.push_back(strided);
    strided.padding = "SAME";
    cases.push_back(strided);
    Case dilated = base;
    dilated.dilation_rows = 2;
    dilated.dilation_cols = 3;
    cases.push_back(dilated);
    Case padded = base;
    padded.padding = "EXPLICIT";
    padded.pads = {1, 2, 0, 3};
    padded.stride_rows = 2;
    cases.push_back(padded);
    Case grouped = base;
    grouped.groups = 2;
    cases.push_back(grouped);
    Case point = base;
    point.filter_rows = point.filter_cols = 1;
    point.stride_rows = point.stride_cols = 2;
    cases.push_back(point);
  }
  return cases;
}

template <typename T>
void CheckAll(double slack) {
  for (const Case& c : Cases()) Check<T>(c, slack);
}

TEST(Conv2D, Float) { CheckAll<float>(1e-5); }
TEST(Conv2D, Double) { CheckAll<double>(1e-13); }
TEST(Conv2D, Half) { CheckAll<Half>(1e-2); }
TEST(Conv2D, BFloat16) { CheckAll<BFloat16>(6e-2); }

TEST(Conv2D, ManyChannels) {
  Case c;
  c.in = 32;
  c.out = 48;
  c.filter_cols = 3;
  Check<float>(c, 1e-4);
}

// As many images as make it several parts, which share the filter; nine are no multiple of threads.
TEST(Conv2D, ManyImages) {
  for (const char* format : {"NHWC", "NCHW"}) {
    Case c;
    c.format = format;
    c.batch = 9;
    c.in = 32;
    c.out = 48;
    c.height = 12;
    c.width = 12;
    Check<float>(c, 1e-4);
  }
}

Result<Tensor> FilterGradient(const Tensor& images, const Tensor& gradient, const Shape& filter) {
  OpTest test("Conv2DBackpropFilter");
  test.Input(images).Input(Int32s(filter)).Input(gradient);
  test.Attr("strides", Ints{1, 1, 1, 1}).Attr("padding", std::string("SAME"));
  ASSIGN_OR_RETURN(const std::vector<Tensor> found, test.RunOnCpu());
  return found[0];
}

// A sum over so many images that it is computed in parts, between which a step can end.
TEST(Conv2DBackpropFilter, SumsManyImagesInParts) {
  constexpr int64_t kImages = 150, kPixels = 32 * 32, kChannels = 64;
  const Shape filter{3, 3, kChannels, kChannels};
  const auto random = [&](int64_t images, int seed) {
    return MakeTensor<float>({images, 32, 32, kChannels},
                             RandomValues(images * kPixels * kChannels, static_cast<unsigned>(seed)));
  };
  const Tensor images = random(kImages, 1), gradient = random(kImages, 2);
  const Result<Tensor> all = FilterGradient(images, gradient, filter);
  ASSERT_OK(all);
  std::vector<double> sum(static_cast<size_t>(filter.num_elements()), 0.0);
  for (int64_t first = 0; first < kImages; first += kImages / 3) {
    const auto some = [first](const Tensor& of) {
      constexpr int64_t kPart = kImages / 3 * kPixels * kChannels;
      const float* from = of.data<float>() + first * kPixels * kChannels;
      return MakeTensor<float>({kImages / 3, 32, 32, kChannels},
                               std::vector<double>(from, from + kPart));
    };
    const Result<Tensor> part = FilterGradient(some(images), some(gradient), filter);
    ASSERT_OK(part);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += part->data<float>()[i];
  }
  ExpectClose(*all, MakeTensor<float>(filter, sum), Slack(0.1, kCancel));
  EXPECT_ERROR(StoppedAfter(1, [&] { return FilterGradient(images, gradient, filter).status(); }),
               Code::kCancelled, "enough");
}

OpTest SmallConv(const Shape& input, const Shape& filter) {
  OpTest test("Conv2D");
  test.Input(MakeTensor<float>(input, RandomValues(input.num_elements(), 1)));
  test.Input(MakeTensor<float>(filter, RandomValues(filter.num_elements(), 2)));
  test.Attr("strides", Ints{1, 1, 1, 1}).Attr("padding", std::string("VALID"));
  return test;
}

TEST(Conv2D, EmptyBatch) {
  SmallConv({0, 4, 4, 2}, {3, 3, 2, 5}).Expect(MakeTensor<float>({0, 2, 2, 5}, {})).Run();
}

TEST(Conv2D, RejectsWhatDoesNotFit) {
  SmallConv({1, 4, 4, 3}, {3, 3, 2, 5}).RunExpectingError(Code::kInvalidArgument, "multiple");
  SmallConv({1, 2, 2, 2}, {4, 4, 2, 5}).RunExpectingError(Code::kInvalidArgument, "negative");
  SmallConv({4, 4, 2}, {3, 3, 2, 5}).RunExpectingError(Code::kInvalidArgument, "rank 4");
  SmallConv({1, 4, 4, 2}, {3, 0, 2, 5}).RunExpectingError(Code::kInvalidArgument, "empty");
  SmallConv({1, 4, 4, 2}, {3, 3, 2, 5})
      .Attr("strides", Ints{1, 0, 1, 1})
      .RunExpectingError(Code::kInvalidArgument, "strides");
  SmallConv({1, 4, 4, 2}, {3, 3, 2, 5})
      .Attr("strides", Ints{2, 1, 1, 1})
      .RunExpectingError(Code::kUnimplemented, "batch");
  SmallConv({1, 4, 4, 2}, {3, 3, 2, 5})
      .Attr("explicit_paddings", Ints{0, 0, 1, 1, 1, 1, 0, 0})
      .RunExpectingError(Code::kInvalidArgument, "explicit_paddings");
}

// No channels are no groups: sizes that would be divided by their number.
TEST(Conv2D, RejectsAnInputWithoutChannels) {
  const Tensor input = MakeTensor<float>({1, 4, 4, 0}, {});
  const Tensor filter = MakeTensor<float>({1, 1, 1, 1}, {1});
  const Tensor gradient = MakeTensor<float>({1, 4, 4, 1}, std::vector<double>(16, 1));
  const auto reject = [](const std::string& op, const std::vector<Tensor>& inputs) {
    OpTest test(op);
    for (const Tensor& value : inputs) test.Input(value);
    test.Attr("strides", Ints{1, 1, 1, 1}).Attr("padding", std::string("VALID"));
    test.RunExpectingError(Code::kInvalidArgument, "input depth must be positive");
  };
  reject("Conv2D", {input, filter});
  reject("Conv2DBackpropInput", {Int32s(input.shape()), filter, gradient});
  reject("Conv2DBackpropFilter", {input, Int32s(filter.shape()), gradient});
}

TEST(Conv2D, RejectsGradientOfAnotherShape) {
  const Case c;
  OpTest test("Conv2DBackpropInput");
  test.Input(Int32s(c.InputShape()));
  test.Input(MakeTensor<float>(c.FilterShape(), RandomValues(c.FilterShape().num_elements(), 1)));
  test.Input(MakeTensor<float>({1, 1, 1, 6}, RandomValues(6, 1)));
  for (const auto& [name, value] : c.Attrs()) test.Attr(name, value);
  test.RunExpectingError(Code::kInvalidArgument, "out_backprop");
}

// One image alone, and several parts.
void CheckChain(int64_t images, int64_t channels) {
  const Shape shape{images, 12, 11, channels};
  const Shape filter_shape{3, 3, channels, channels};
  const Tensor image = MakeTensor<float>(shape, RandomValues(shape.num_elements(), 1));
  const Tensor filter =
      MakeTensor<float>(filter_shape, RandomValues(filter_shape.num_elements(), 2));
  const Tensor bias = MakeTensor<float>({channels}, RandomValues(channels, 3));
  const auto strides = std::vector<int64_t>{1, 1, 1, 1};
  const Tensor convolved = (*OpTest("Conv2D")
                                 .Input(image)
                                 .Input(filter)
                                 .Attr("strides", strides)
                                 .Attr("padding", std::string("SAME"))
                                 .RunOnCpu())[0];
  const Tensor sum = (*OpTest("BiasAdd").Input(convolved).Input(bias).RunOnCpu())[0];
  const Tensor residual = (*OpTest("AddV2").Input(sum).Input(image).RunOnCpu())[0];
  OpTest("_Conv2DChain")
      .Input(image)
      .Input(filter)
      .Input(bias)
      .Input(image)
      .Attr("N", int64_t{2})
      .Attr("strides", strides)
      .Attr("padding", std::string("SAME"))
      .Attr("ops", std::vector<std::string>{"Add", "AddV2", "Relu"})
      .Attr("operands", std::vector<int64_t>{0, 1, 3, 2, 4, -1})
      .Expect((*OpTest("Relu").Input(residual).RunOnCpu())[0])
      .Within(Ulps(0))
      .Run();
}

TEST(Conv2DChain, GivesTheBitsOfItsOps) {
  CheckChain(1, 4);
  CheckChain(8, 24);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
