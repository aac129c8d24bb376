#include "testing/repeated_op.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(RandomGamma, HasTheMomentsOfItsDistribution) {
  for (const double alpha : {0.3, 1.0, 2.5, 60.0}) {
    const auto steps = RunRepeatedly(
        CpuDevice(), "RandomGamma",
        {MakeTensor<int32_t>({1}, {40000}), Tensor::Scalar<double>(alpha)},
        {{"seed", int64_t{4}}, {"seed2", int64_t{2}}}, 1);
    ASSERT_OK(steps);
    double sum = 0, squares = 0;
    for (const double value : Values((*steps)[0])) {
      sum += value;
      squares += value * value;
    }
    const double mean = sum / 40000;
    EXPECT_NEAR(mean, alpha, 0.03 * alpha + 0.01);
    EXPECT_NEAR(squares / 40000 - mean * mean, alpha, 0.05 * alpha + 0.02);
  }
}

TEST(RandomGamma, StepsDiffer) {
  const auto steps = RunRepeatedly(CpuDevice(), "RandomGamma",
                                   {MakeTensor<int64_t>({1}, {4}), MakeTensor<float>({2}, {1, 2})},
                                   {{"seed", int64_t{4}}, {"seed2", int64_t{2}}}, 2);
  ASSERT_OK(steps);
  EXPECT_EQ((*steps)[0].shape(), (Shape{4, 2}));
  EXPECT_TRUE(Values((*steps)[0]) != Values((*steps)[1]));
}

TEST(RandomGamma, OfNothingAndOfWhatHasNone) {
  OpTest("RandomGamma").Input(MakeTensor<int32_t>({1}, {0})).Input(Tensor::Scalar<Half>(Half(1)))
      .Expect(MakeTensor<Half>({0}, {})).Run();
  OpTest("RandomGamma").Input(MakeTensor<int32_t>({0}, {}))
      .Input(MakeTensor<float>({3}, {0, -1, INFINITY}))
      .Expect(MakeTensor<float>({3}, {NAN, NAN, NAN})).Run();
}

TEST(RandomGamma, RejectsWrongShapes) {
  OpTest("RandomGamma").Input(MakeTensor<int32_t>({1}, {-1})).Input(Tensor::Scalar<float>(1))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("RandomGamma").Input(Tensor::Scalar<int32_t>(3)).Input(Tensor::Scalar<float>(1))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
