#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(ImageSummary, HasAnImageForEachOfTheFirst) {
  const auto outputs = OpTest("ImageSummary")
                           .Input(Tensor::Strings({}, {"i"}))
                           .Input(MakeTensor<uint8_t>({4, 1, 1, 1}, {1, 2, 3, 4}))
                           .RunOnCpu();
  ASSERT_OK(outputs);
  const std::string& summary = (*outputs)[0].data<std::string>()[0];
  EXPECT_TRUE(summary.find("i/image/2") != std::string::npos);
  EXPECT_TRUE(summary.find("i/image/3") == std::string::npos);
  EXPECT_TRUE(summary.find("\x89PNG") != std::string::npos);
}

TEST(ImageSummary, RefusesWhatIsNoImage) {
  OpTest("ImageSummary").Input(Tensor::Strings({}, {"i"})).Input(MakeTensor<float>({1, 1, 1, 2}, {0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "last dim 1, 3, or 4");
  OpTest("ImageSummary").Input(Tensor::Strings({}, {"i"})).Input(MakeTensor<float>({1, 0, 1, 1}, {}))
      .RunExpectingError(Code::kInvalidArgument, "no PNG has 0 rows");
  OpTest("ImageSummary").Input(Tensor::Strings({}, {"i"})).Input(MakeTensor<float>({1, 1, 1, 1}, {0}))
      .Attr("bad_color", Tensor::Vector(std::vector<uint8_t>{}))
      .RunExpectingError(Code::kInvalidArgument, "expected depth <= bad_color.size");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
