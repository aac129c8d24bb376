#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(AdjustColour, ContrastIsTheDistanceFromTheMean) {
  OpTest("AdjustContrastv2").Input(MakeTensor<float>({1, 2, 2}, {1, 10, 3, 30})).Input(Tensor::Scalar(2.0f))
      .Expect(MakeTensor<float>({1, 2, 2}, {0, 0, 4, 40})).Run();
}

TEST(AdjustColour, HueGoesAroundTheCircle) {
  const Tensor colours = MakeTensor<float>({1, 3, 3}, {1, 0, 0, 0, 0.5, 1, 0.25, 0.25, 0.25});
  const char kThird[] = "a third in float";
  OpTest("AdjustHue").Input(colours).Input(Tensor::Scalar(1.0f / 3))
      .Expect(MakeTensor<float>({1, 3, 3}, {0, 1, 0, 1, 0, 0.5, 0.25, 0.25, 0.25}))
          .Within(Slack(1e-6, kThird)).Run();
  OpTest("AdjustHue").Input(colours).Input(Tensor::Scalar(-5.0f)).Expect(colours)
      .Within(Slack(2e-6, kThird)).Run();
}

TEST(AdjustColour, SaturationIsTheDistanceFromTheStrongest) {
  OpTest("AdjustSaturation").Input(MakeTensor<float>({1, 2, 3}, {1, 0.5, 0.75, 0.5, 0.5, 0.5}))
      .Input(Tensor::Scalar(0.5f))
      .Expect(MakeTensor<float>({1, 2, 3}, {1, 0.75, 0.875, 0.5, 0.5, 0.5})).Run();
  OpTest("AdjustSaturation").Input(MakeTensor<float>({1, 1, 3}, {1, 0.5, 0.75})).Input(Tensor::Scalar(9.0f))
      .Expect(MakeTensor<float>({1, 1, 3}, {1, 0, 0.5})).Run();
}

TEST(AdjustColour, RejectsOtherNumbersOfChannels) {
  for (const char* op : {"AdjustHue", "AdjustSaturation"}) {
    OpTest(op).Input(MakeTensor<float>({1, 1, 2}, {1, 2})).Input(Tensor::Scalar(1.0f))
        .RunExpectingError(Code::kInvalidArgument, "3 channels");
  }
  OpTest("AdjustContrastv2").Input(MakeTensor<float>({1, 1, 2}, {1, 2})).Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
