#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Sample(const std::vector<double>& size, const Shape& shape, const std::vector<double>& boxes) {
  OpTest test("SampleDistortedBoundingBoxV2");
  test.Input(MakeTensor<int32_t>({3}, size)).Input(MakeTensor<float>(shape, boxes))
      .Input(Tensor::Scalar(0.3f))
      .Attr("seed", int64_t{7}).Attr("seed2", int64_t{3});
  return test;
}

TEST(SampleDistortedBoundingBox, PartsLieInTheImageAndShowTheObject) {
  for (int64_t seed = 1; seed <= 40; ++seed) {
    const auto outputs = Sample({60, 80, 3}, {1, 1, 4}, {0.2, 0.3, 0.8, 0.9}).Attr("seed", seed).RunOnCpu();
    ASSERT_OK(outputs);
    const int32_t* begin = (*outputs)[0].data<int32_t>();
    const int32_t* size = (*outputs)[1].data<int32_t>();
    EXPECT_TRUE(begin[0] >= 0 && begin[1] >= 0 && begin[2] == 0 && size[2] == -1);
    EXPECT_TRUE(begin[0] + size[0] <= 60 && begin[1] + size[1] <= 80);
    const int rows = std::min(begin[0] + size[0], 48) - std::max(begin[0], 12);
    const int cols = std::min(begin[1] + size[1], 72) - std::max(begin[1], 24);
    EXPECT_TRUE(rows > 0 && cols > 0 && rows * cols >= 0.3 * 36 * 48);
  }
}

TEST(SampleDistortedBoundingBox, RejectsWhatIsNoBox) {
  Sample({4, 4, 3}, {1, 1, 4}, {0, 0, 2, 1}).RunExpectingError(Code::kInvalidArgument, "[0.0, 1.0]");
  Sample({4, 4, 3}, {1, 0, 4}, {}).RunExpectingError(Code::kInvalidArgument, "No bounding boxes");
  Sample({0, 4, 3}, {1, 1, 4}, {0, 0, 1, 1}).RunExpectingError(Code::kInvalidArgument, "0 rows");
  Sample({4, 4, 3}, {1, 1, 4}, {0, 0, 1, 1}).Attr("area_range", std::vector<float>{0.5f, 2.0f})
      .RunExpectingError(Code::kInvalidArgument, "area");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
