// Expected numbers are those that TensorFlow draws for the same seeds, in the first and in the
// second step.
#include <algorithm>

#include "testing/repeated_op.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Logits() {
  std::vector<double> values;
  for (int i = 0; i < 15; ++i) values.push_back(-2 + i * 4.0 / 14);
  return MakeTensor<float>({3, 5}, values);
}

TEST(Multinomial, DrawsWhatTensorFlowDraws) {
  const auto steps = RunRepeatedly(CpuDevice(), "Multinomial",
                                   {Logits(), Tensor::Scalar<int32_t>(7)},
                                   {{"seed", int64_t{3}}, {"seed2", int64_t{5}}}, 2);
  ASSERT_OK(steps);
  ExpectClose((*steps)[0],
              MakeTensor<int64_t>({3, 7}, {1, 0, 2, 4, 4, 4, 1, 0, 3, 2, 4, 4, 0, 4, 3, 2, 3, 3, 2,
                                           3, 2}),
              Ulps(0));
  ExpectClose((*steps)[1],
              MakeTensor<int64_t>({3, 7}, {3, 0, 2, 4, 4, 3, 3, 3, 1, 2, 1, 4, 4, 4, 4, 4, 3, 4, 3,
                                           4, 4}),
              Ulps(0));
}

TEST(Multinomial, NeverDrawsWhatIsImpossible) {
  OpTest("Multinomial")
      .Input(MakeTensor<double>({2, 3}, {-INFINITY, 0, -INFINITY, -1e30, -1e30, 5}))
      .Input(Tensor::Scalar<int32_t>(4))
      .Attr("output_dtype", DType::kInt32)
      .Expect(MakeTensor<int32_t>({2, 4}, {1, 1, 1, 1, 2, 2, 2, 2}))
      .Run();
}

TEST(Multinomial, RejectsRowsWithNothingToDraw) {
  for (const double none : std::vector<double>{-INFINITY, INFINITY, NAN}) {
    for (const char* op : {"Multinomial", "StatelessMultinomial"}) {
      OpTest test(op);
      test.Input(MakeTensor<double>({2, 2}, {0, 1, none, none})).Input(Tensor::Scalar<int32_t>(4));
      if (op[0] == 'S') test.Input(Tensor::Vector<int64_t>({1, 2}));
      test.RunExpectingError(Code::kInvalidArgument, "no logit of row 1 is finite");
    }
  }
}

TEST(Multinomial, HasTheShareOfEachClass) {
  const auto steps = RunRepeatedly(
      CpuDevice(), "Multinomial",
      {MakeTensor<Half>({1, 2}, {0, std::log(3.0)}), Tensor::Scalar<int32_t>(20000)},
      {{"seed", int64_t{1}}, {"seed2", int64_t{2}}}, 1);
  ASSERT_OK(steps);
  const std::vector<double> drawn = Values((*steps)[0]);
  const auto ones = std::count(drawn.begin(), drawn.end(), 1.0);
  EXPECT_NEAR(static_cast<double>(ones) / 20000, 0.75, 0.01);
}

TEST(Multinomial, RejectsWrongArguments) {
  OpTest("Multinomial").Input(MakeTensor<float>({3}, {1, 2, 3})).Input(Tensor::Scalar<int32_t>(1))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("Multinomial").Input(Logits()).Input(Tensor::Scalar<int32_t>(-1))
      .RunExpectingError(Code::kInvalidArgument, "num_samples");
  OpTest("Multinomial").Input(MakeTensor<float>({2, 0}, {})).Input(Tensor::Scalar<int32_t>(1))
      .RunExpectingError(Code::kInvalidArgument, "num_classes");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
