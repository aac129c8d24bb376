#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(AudioSummaryV2, IsAWavFile) {
  const auto outputs = OpTest("AudioSummaryV2")
                           .Input(Tensor::Strings({}, {"s"}))
                           .Input(MakeTensor<float>({1, 2}, {0.5, -2}))
                           .Input(MakeTensor<float>({}, {8000}))
                           .RunOnCpu();
  ASSERT_OK(outputs);
  const std::string& summary = (*outputs)[0].data<std::string>()[0];
  EXPECT_TRUE(summary.find("s/audio/0") != std::string::npos);
  const size_t samples = summary.find("data") + 8;
  EXPECT_EQ(summary.substr(samples, 4), std::string("\x00\x40\x00\x80", 4));
}

TEST(AudioSummaryV2, RefusesWhatIsNoSound) {
  OpTest("AudioSummaryV2")
      .Input(Tensor::Strings({}, {"s"}))
      .Input(MakeTensor<float>({1}, {0}))
      .Input(MakeTensor<float>({}, {8000}))
      .RunExpectingError(Code::kInvalidArgument, "3-D or 2-D");
  OpTest("AudioSummaryV2")
      .Input(Tensor::Strings({}, {"s"}))
      .Input(MakeTensor<float>({1, 1}, {0}))
      .Input(MakeTensor<float>({}, {-1}))
      .RunExpectingError(Code::kInvalidArgument, "sample_rate must be > 0");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
