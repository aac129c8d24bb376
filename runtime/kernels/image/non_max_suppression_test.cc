#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// The first two lie on each other, the third far away, the fourth beside it.
const std::vector<double> kBoxes = {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 0, 10.5, 1, 11.5};

OpTest Over(const std::string& op, const std::vector<double>& scores, double most) {
  OpTest test(op);
  test.Input(MakeTensor<float>({4, 4}, kBoxes)).Input(MakeTensor<float>({4}, scores))
      .Input(Tensor::Scalar<int32_t>(static_cast<int32_t>(most)));
  return test;
}

TEST(NonMaxSuppression, KeepsTheBestOfThoseThatOverlap) {
  Over("NonMaxSuppression", {0.5, 0.9, 0.8, 0.7}, 9).Expect(MakeTensor<int32_t>({3}, {1, 2, 3})).Run();
  Over("NonMaxSuppression", {0.5, 0.9, 0.8, 0.7}, 2).Expect(MakeTensor<int32_t>({2}, {1, 2})).Run();
  Over("NonMaxSuppressionV2", {0.5, 0.5, 0.8, 0.7}, 9).Input(Tensor::Scalar(0.2f))
      .Expect(MakeTensor<int32_t>({2}, {2, 0})).Run();
  Over("NonMaxSuppressionV3", {0.5, 0.9, 0.8, 0.7}, 9).Input(Tensor::Scalar(0.5f))
      .Input(Tensor::Scalar(0.75f))
      .Expect(MakeTensor<int32_t>({2}, {1, 2})).Run();
}

TEST(NonMaxSuppression, FillsUp) {
  Over("NonMaxSuppressionV4", {0.5, 0.9, 0.8, 0.7}, 5).Input(Tensor::Scalar(0.5f))
      .Input(Tensor::Scalar(0.75f))
      .Attr("pad_to_max_output_size", true)
      .Expect(MakeTensor<int32_t>({5}, {1, 2, 0, 0, 0})).Expect(Tensor::Scalar<int32_t>(2)).Run();
}

// Of an overlap of a third, exp(-0.5 / 0.5 * 1 / 9) is left.
TEST(NonMaxSuppression, LowersScores) {
  Over("NonMaxSuppressionV5", {0.1, 0.2, 0.8, 0.7}, 2).Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar(0.0f))
      .Input(Tensor::Scalar(0.5f)).Expect(MakeTensor<int32_t>({2}, {2, 3}))
      .Expect(MakeTensor<float>({2}, {0.8, 0.7 * std::exp(-1.0 / 9)})).Expect(Tensor::Scalar<int32_t>(2))
      .Within(Slack(1e-6, "an exponential")).Run();
}

TEST(NonMaxSuppression, RejectsWhatIsNoThreshold) {
  Over("NonMaxSuppressionV2", {1, 1, 1, 1}, 1).Input(Tensor::Scalar(1.5f))
      .RunExpectingError(Code::kInvalidArgument, "[0, 1]");
  Over("NonMaxSuppression", {1, 1, 1, 1}, -1).RunExpectingError(Code::kInvalidArgument, "non-negative");
  OpTest("NonMaxSuppression").Input(MakeTensor<float>({1, 4}, {0, 0, 1, 1}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(Tensor::Scalar<int32_t>(1)).RunExpectingError(Code::kInvalidArgument, "incompatible");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
