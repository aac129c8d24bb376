#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Size(double rows, double cols) { return MakeTensor<int32_t>({2}, {rows, cols}); }

TEST(ResizeArea, IsTheMeanOfWhatIsCovered) {
  const Tensor image = MakeTensor<float>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  OpTest("ResizeArea").Input(image).Input(Size(1, 2))
      .Expect(MakeTensor<float>({1, 1, 2, 1}, {3.5, 5.5})).Run();
  OpTest("ResizeArea").Input(image).Input(Size(1, 1)).Expect(MakeTensor<float>({1, 1, 1, 1}, {4.5})).Run();
  OpTest("ResizeArea").Input(image).Input(Size(2, 4)).Expect(image).Run();
}

TEST(ResizeArea, CountsPartsOfPixels) {
  OpTest("ResizeArea").Input(MakeTensor<uint8_t>({1, 1, 3, 1}, {0, 30, 90})).Input(Size(1, 2))
      .Expect(MakeTensor<float>({1, 1, 2, 1}, {10, 70})).Within(Slack(1e-5, "thirds")).Run();
  OpTest("ResizeArea").Input(MakeTensor<uint8_t>({1, 1, 2, 1}, {10, 20})).Input(Size(1, 4))
      .Expect(MakeTensor<float>({1, 1, 4, 1}, {10, 10, 20, 20})).Run();
}

// The numbers are those of TensorFlow 2.21.
TEST(ResizeArea, StretchesASideOfOneFromCornerToCorner) {
  OpTest("ResizeArea").Input(MakeTensor<float>({1, 1, 4, 1}, {0, 1, 2, 3})).Input(Size(2, 3))
      .Attr("align_corners", true)
      .Expect(MakeTensor<float>({1, 2, 3, 1}, {0.33333334, 1.6666667, 3, 0.33333334, 1.6666667, 3}))
      .Within(Ulps(1)).Run();
  OpTest("ResizeArea").Input(MakeTensor<float>({1, 2, 1, 1}, {1, 5})).Input(Size(2, 2))
      .Attr("align_corners", true).Expect(MakeTensor<float>({1, 2, 2, 1}, {1, 1, 5, 5})).Run();
  OpTest("ResizeArea").Input(MakeTensor<float>({1, 1, 1, 1}, {7})).Input(Size(2, 3))
      .Attr("align_corners", true)
      .Expect(MakeTensor<float>({1, 2, 3, 1}, {7, 7, 7, 7, 7, 7})).Run();
}

TEST(ResizeArea, RejectsWhatIsNoSize) {
  OpTest("ResizeArea").Input(MakeTensor<float>({1, 1, 1, 1}, {1})).Input(Size(1, -1))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
