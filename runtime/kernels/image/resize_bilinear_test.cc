#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Size(double rows, double cols) { return MakeTensor<int32_t>({2}, {rows, cols}); }

TEST(ResizeBilinear, MixesNeighbours) {
  const Tensor image = MakeTensor<float>({1, 2, 2, 1}, {1, 2, 3, 4});
  OpTest("ResizeBilinear").Input(image).Input(Size(3, 3)).Attr("align_corners", true)
      .Expect(MakeTensor<float>({1, 3, 3, 1}, {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4})).Run();
  OpTest("ResizeBilinear").Input(image).Input(Size(4, 4))
      .Expect(MakeTensor<float>({1, 4, 4, 1}, {1, 1.5, 2, 2, 2, 2.5, 3, 3, 3, 3.5, 4, 4, 3, 3.5, 4,
                                               4})).Run();
  OpTest("ResizeBilinear").Input(image).Input(Size(1, 4)).Attr("half_pixel_centers", true)
      .Expect(MakeTensor<float>({1, 1, 4, 1}, {2, 2.25, 2.75, 3})).Run();
}

TEST(ResizeBilinear, TakesBytes) {
  OpTest("ResizeBilinear").Input(MakeTensor<uint8_t>({1, 1, 2, 2}, {0, 100, 255, 200}))
      .Input(Size(1, 1)).Expect(MakeTensor<float>({1, 1, 1, 2}, {0, 100})).Run();
}

// Three colours have a loop of their own, one has not: both must give the same bits.
template <typename T>
void ExpectColoursApart(int64_t width, int64_t out_width, const char* setting) {
  const int64_t height = 3, pixels = 2 * height * width;
  std::vector<double> values = RandomValues(3 * pixels, static_cast<uint64_t>(width));
  for (double& value : values) value = std::floor(std::abs(value) * 255);
  const auto resized = [&](const Shape& shape, const std::vector<double>& of) {
    return OpTest("ResizeBilinear").Input(MakeTensor<T>(shape, of))
        .Input(Size(4, static_cast<double>(out_width))).Attr(setting, true).RunOnCpu();
  };
  const auto together = resized({2, height, width, 3}, values);
  ASSERT_OK(together);
  const std::vector<double> found = Values((*together)[0]);
  for (size_t colour = 0; colour < 3; ++colour) {
    std::vector<double> one(static_cast<size_t>(pixels));
    for (size_t i = 0; i < one.size(); ++i) one[i] = values[3 * i + colour];
    const auto alone = resized({2, height, width, 1}, one);
    ASSERT_OK(alone);
    const std::vector<double> expected = Values((*alone)[0]);
    EXPECT_EQ(found.size(), 3 * expected.size());
    for (size_t i = colour; i < found.size(); i += 3) EXPECT_EQ(found[i], expected[i / 3]);
  }
}

TEST(ResizeBilinear, MixesThreeColoursAsOne) {
  for (const char* setting : {"align_corners", "half_pixel_centers"}) {
    for (const int64_t width : {1, 2, 3, 17}) {
      for (const int64_t out_width : {1, 2, 5, 16, 40}) {
        ExpectColoursApart<uint8_t>(width, out_width, setting);
        ExpectColoursApart<float>(width, out_width, setting);
        ExpectColoursApart<int16_t>(width, out_width, setting);
      }
    }
  }
}

// The definition, for one image of one colour, pixel by pixel.
std::vector<double> ByDefinition(const std::vector<double>& image, int64_t rows, int64_t cols,
                                 int64_t out_rows, int64_t out_cols) {
  std::vector<double> out;
  const auto at = [&](int64_t y, int64_t x) {
    return static_cast<float>(image[static_cast<size_t>(std::min(y, rows - 1) * cols +
                                                        std::min(x, cols - 1))]);
  };
  const auto mix = [](float from, float to, float share) { return from + (to - from) * share; };
  const float down = static_cast<float>(rows) / static_cast<float>(out_rows);
  const float right = static_cast<float>(cols) / static_cast<float>(out_cols);
  for (int64_t i = 0; i < out_rows; ++i) {
    const float y = static_cast<float>(i) * down, above = std::floor(y);
    for (int64_t j = 0; j < out_cols; ++j) {
      const float x = static_cast<float>(j) * right, left = std::floor(x);
      const int64_t r = static_cast<int64_t>(above), c = static_cast<int64_t>(left);
      const float upper = mix(at(r, c), at(r, c + 1), x - left);
      const float lower = mix(at(r + 1, c), at(r + 1, c + 1), x - left);
      out.push_back(static_cast<double>(mix(upper, lower, y - above)));
    }
  }
  return out;
}

TEST(ResizeBilinear, RowsThatAreNeededOnceAndOften) {
  for (const int64_t rows : {1, 7, 40}) {
    const std::vector<double> image = RandomValues(rows * 9, static_cast<uint64_t>(rows));
    for (const int64_t out_rows : {1, 3, 6, 7, 20, 50}) {
      for (const int64_t out_cols : {4, 9, 11}) {
        OpTest("ResizeBilinear").Input(MakeTensor<float>({1, rows, 9, 1}, image))
            .Input(Size(static_cast<double>(out_rows), static_cast<double>(out_cols)))
            .Expect(MakeTensor<float>({1, out_rows, out_cols, 1},
                                      ByDefinition(image, rows, 9, out_rows, out_cols))).Run();
      }
    }
  }
}

// The gradient is the transpose: <resize(x), g> = <x, resize_grad(g)>.
TEST(ResizeBilinear, GradientIsTheTranspose) {
  for (const bool corners : {false, true}) {
    const Shape small{2, 3, 4, 2}, large{2, 5, 7, 2};
    const Tensor x = MakeTensor<float>(small, RandomValues(small.num_elements(), 1));
    const Tensor g = MakeTensor<float>(large, RandomValues(large.num_elements(), 2));
    const auto there = OpTest("ResizeBilinear").Input(x).Input(Size(5, 7))
                           .Attr("align_corners", corners).RunOnCpu();
    const auto back = OpTest("ResizeBilinearGrad").Input(g).Input(x)
                          .Attr("align_corners", corners).RunOnCpu();
    ASSERT_OK(there);
    ASSERT_OK(back);
    const auto dot = [](const Tensor& a, const Tensor& b) {
      const std::vector<double> u = Values(a), v = Values(b);
      double sum = 0;
      for (size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
      return sum;
    };
    EXPECT_TRUE(std::abs(dot((*there)[0], g) - dot(x, (*back)[0])) < 1e-5);
  }
}

// Pixels of GPUs are those of the CPU, whose own tests are above, whichever size becomes which.
template <typename T>
void ExpectDevicesAgree(const std::string& setting, int64_t size, int64_t out_size) {
  const Shape images{2, size, 3, 5}, resized{2, out_size, 4, 5};
  const auto expect_agreement = [&setting](OpTest test) {
    if (!setting.empty()) test.Attr(setting, true);
    const auto expected = test.RunOnCpu();
    ASSERT_OK(expected);
    // The CPU adds up the gradient of the nearest pixels in floats, one by one.
    test.Expect((*expected)[0]).Within(Slack(1e-5, "sums of both signs", 2)).Run();
  };
  const Tensor image = MakeTensor<T>(images, RandomValues(images.num_elements(), 1));
  const Tensor gradient = MakeTensor<T>(resized, RandomValues(resized.num_elements(), 2));
  const Tensor of_float = MakeTensor<float>(resized, Values(gradient));
  const Tensor to = Size(static_cast<double>(out_size), 4);
  expect_agreement(OpTest("ResizeBilinear").Input(image).Input(to));
  expect_agreement(OpTest("ResizeNearestNeighbor").Input(image).Input(to));
  expect_agreement(OpTest("ResizeBilinearGrad").Input(of_float).Input(image));
  expect_agreement(OpTest("ResizeNearestNeighborGrad").Input(gradient)
                       .Input(Size(static_cast<double>(size), 3)));
}

TEST(ResizeBilinear, DevicesAgree) {
  for (const char* setting : {"", "align_corners", "half_pixel_centers"}) {
    for (const int64_t size : {1, 2, 7, 16}) {
      for (const int64_t out_size : {1, 3, 7, 40}) {
        ExpectDevicesAgree<float>(setting, size, out_size);
        ExpectDevicesAgree<double>(setting, size, out_size);
        ExpectDevicesAgree<Half>(setting, size, out_size);
      }
    }
  }
}

TEST(ResizeBilinear, RejectsWhatIsNoSize) {
  const Tensor image = MakeTensor<float>({1, 1, 1, 1}, {1});
  OpTest("ResizeBilinear").Input(image).Input(Size(0, 1))
      .RunExpectingError(Code::kInvalidArgument, "positive");
  OpTest("ResizeBilinear").Input(image).Input(MakeTensor<int32_t>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "two numbers");
  OpTest("ResizeBilinear").Input(MakeTensor<float>({1, 0, 1, 1}, {})).Input(Size(1, 1))
      .RunExpectingError(Code::kInvalidArgument, "non-zero");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
