#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const char kColours[] = "quotients of small differences";

template <typename T>
void GoesThereAndBack(double slack) {
  const std::vector<double> rgb = {1,   0,   0,   0,   1,   0,   0, 0, 1,
                                   0.5, 0.5, 0.5, 0.2, 0.4, 0.8, 0, 0, 0};
  const std::vector<double> hsv = {0, 1, 1, 1.0 / 3, 1, 1, 2.0 / 3, 1, 1,
                                   0, 0, 0.5, 11.0 / 18, 0.75, 0.8, 0, 0, 0};
  OpTest("RGBToHSV").Input(MakeTensor<T>({2, 3, 3}, rgb)).Expect(MakeTensor<T>({2, 3, 3}, hsv))
      .Within(Slack(slack, kColours)).Run();
  OpTest("HSVToRGB").Input(MakeTensor<T>({2, 3, 3}, hsv)).Expect(MakeTensor<T>({2, 3, 3}, rgb))
      .Within(Slack(slack, kColours)).Run();
}

TEST(Hsv, Float) { GoesThereAndBack<float>(1e-6); }
TEST(Hsv, Double) { GoesThereAndBack<double>(1e-15); }
TEST(Hsv, Half) { GoesThereAndBack<Half>(4e-3); }

TEST(Hsv, RejectsOtherNumbersOfChannels) {
  OpTest("RGBToHSV").Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "3 channels");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
