#include "kernels/framework/summarize.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Types = std::vector<DType>;

TEST(Summarize, NestsAndEnds) {
  const Tensor matrix = MakeTensor<float>({2, 2}, {1.5, 2, 3, 4});
  EXPECT_EQ(Summarize(matrix, -1), std::string("[1.5 2][3 4]"));
  EXPECT_EQ(Summarize(matrix, 3), std::string("[1.5 2][3...]..."));
  EXPECT_EQ(Summarize(MakeTensor<int32_t>({4}, {1, 2, 3, 4}), 3), std::string("1 2 3..."));
  EXPECT_EQ(Summarize(MakeTensor<bool>({}, {1}), 3), std::string("1"));
  EXPECT_EQ(Summarize(MakeTensor<double>({0}, {}), 3), std::string(""));
  EXPECT_EQ(Summarize(Tensor::Strings({2}, {"a\n\"b\"", "\x01"}), -1),
            std::string("a\\n\\\"b\\\" \\001"));
}

TEST(Summarize, HasAsManyDigitsAsTheNumberNeeds) {
  EXPECT_EQ(Summarize(MakeTensor<float>({3}, {0.1, 1.0 / 3, 1e20}), -1),
            std::string("0.1 0.333333343 1e+20"));
  EXPECT_EQ(Summarize(MakeTensor<double>({1}, {0.1}), -1), std::string("0.1"));
}

TEST(Print, HandsItsInputOn) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  OpTest("Print").Input(x).Input(MakeTensor<int32_t>({1}, {7}))
      .Attr("U", Types{DType::kInt32}).Attr("message", std::string("printed by a test: "))
      .Expect(x).Run();
}

TEST(Assert, EndsTheStepWithItsValues) {
  const Tensor values = MakeTensor<int32_t>({4}, {1, 2, 3, 4});
  const Types types{DType::kString, DType::kInt32};
  const Tensor text = Tensor::Strings({}, {"said:"});
  OpTest("Assert").Input(MakeTensor<bool>({}, {0})).Input(text).Input(values).Attr("T", types)
      .RunExpectingError(Code::kInvalidArgument, "assertion failed: [said:] [1 2 3...]");
  OpTest("Assert").Input(MakeTensor<bool>({}, {1})).Input(text).Input(values).Attr("T", types).Run();
  OpTest("Assert").Input(MakeTensor<bool>({1}, {1})).Input(text).Attr("T", Types{DType::kString})
      .RunExpectingError(Code::kInvalidArgument, "should be a scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
