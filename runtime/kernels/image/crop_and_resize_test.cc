#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const std::vector<double> kWhole = {0, 0, 1, 1};

Tensor Ints(const std::vector<double>& values) {
  return MakeTensor<int32_t>({static_cast<int64_t>(values.size())}, values);
}

TEST(CropAndResize, CutsAndMixes) {
  const Tensor image = MakeTensor<float>({1, 2, 2, 1}, {1, 2, 3, 4});
  OpTest("CropAndResize").Input(image).Input(MakeTensor<float>({1, 4}, kWhole)).Input(Ints({0}))
      .Input(Ints({3, 3}))
      .Expect(MakeTensor<float>({1, 3, 3, 1}, {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4})).Run();
  OpTest("CropAndResize").Input(image).Input(MakeTensor<float>({1, 4}, {1, 1, 0, 0})).Input(Ints({0}))
      .Input(Ints({2, 2})).Expect(MakeTensor<float>({1, 2, 2, 1}, {4, 3, 2, 1})).Run();
  OpTest("CropAndResize").Input(image).Input(MakeTensor<float>({1, 4}, {0, 0, 2, 2})).Input(Ints({0}))
      .Input(Ints({2, 2})).Attr("extrapolation_value", 9.0f).Attr("method", std::string("nearest"))
      .Expect(MakeTensor<float>({1, 2, 2, 1}, {1, 9, 9, 9})).Run();
}

TEST(CropAndResize, GradientsGoToImageAndBoxes) {
  const Tensor boxes = MakeTensor<float>({1, 4}, {0, 0, 1, 0.5});
  const Tensor gradient = MakeTensor<float>({1, 1, 1, 1}, {4});
  OpTest("CropAndResizeGradImage").Input(gradient).Input(boxes).Input(Ints({0})).Input(Ints({1, 2, 3, 1}))
      .Attr("T", DType::kFloat)
      .Expect(MakeTensor<float>({1, 2, 3, 1}, {1, 1, 0, 1, 1, 0})).Run();
  // The place is (0.5, 0.5): down the image grows by 3, to the right by 1.
  OpTest("CropAndResizeGradBoxes").Input(gradient)
      .Input(MakeTensor<float>({1, 2, 3, 1}, {0, 1, 2, 3, 4, 5})).Input(boxes).Input(Ints({0}))
      .Expect(MakeTensor<float>({1, 4}, {6, 4, 6, 4})).Run();
}

TEST(CropAndResize, RejectsWhatDoesNotFit) {
  const Tensor image = MakeTensor<float>({1, 1, 1, 1}, {1});
  const Tensor box = MakeTensor<float>({1, 4}, kWhole);
  OpTest("CropAndResize").Input(image).Input(box).Input(Ints({1})).Input(Ints({1, 1}))
      .RunExpectingError(Code::kOutOfRange, "box_index");
  OpTest("CropAndResize").Input(image).Input(box).Input(Ints({0, 0})).Input(Ints({1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "incompatible");
  OpTest("CropAndResize").Input(image).Input(box).Input(Ints({0})).Input(Ints({0, 1}))
      .RunExpectingError(Code::kInvalidArgument, "positive");
  const double nan = std::nan("");
  OpTest("CropAndResize").Input(image).Input(MakeTensor<float>({1, 4}, {nan, nan, nan, nan}))
      .Input(Ints({0})).Input(Ints({1, 1})).Expect(MakeTensor<float>({1, 1, 1, 1}, {0})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
