#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kLabels[] = "a label is taken from a probability near it";

const char kOp[] = "SoftmaxCrossEntropyWithLogits";

// Features of shape [rows, classes]; labels too, or one row of them for all.
template <typename T>
void Check(int64_t rows, int64_t classes, bool one_row_of_labels, double slack) {
  const int64_t label_rows = one_row_of_labels ? 1 : rows;
  std::vector<double> weights = RandomValues(label_rows * classes, 3);
  for (double& weight : weights) weight = std::abs(weight) / static_cast<double>(classes);
  const Tensor features = MakeTensor<T>({rows, classes}, RandomValues(rows * classes, 5));
  const Tensor labels = MakeTensor<T>({label_rows, classes}, weights);
  const std::vector<double> x = Values(features);
  const std::vector<double> p = Values(labels);
  std::vector<double> loss, gradient;
  for (int64_t row = 0; row < rows; ++row) {
    const double* logits = x.data() + row * classes;
    const double* label = p.data() + (one_row_of_labels ? 0 : row * classes);
    double sum = 0;
    for (int64_t i = 0; i < classes; ++i) sum += std::exp(logits[i]);
    loss.push_back(0);
    for (int64_t i = 0; i < classes; ++i) {
      loss.back() += label[i] * (std::log(sum) - logits[i]);
      gradient.push_back(std::exp(logits[i]) / sum - label[i]);
    }
  }
  OpTest(kOp)
      .Input(features)
      .Input(labels)
      .Expect(MakeTensor<T>({rows}, loss))
      .Expect(MakeTensor<T>({rows, classes}, gradient))
      .Within(Slack(slack, kLabels))
      .Run();
}

TEST(SoftmaxXent, Float) {
  Check<float>(3, 4, false, 1e-6);
  Check<float>(100, 300, false, 1e-6);
}
TEST(SoftmaxXent, Double) { Check<double>(9, 10, false, 1e-13); }
TEST(SoftmaxXent, Half) { Check<Half>(9, 10, false, 2e-3); }
TEST(SoftmaxXent, BFloat16) { Check<BFloat16>(9, 10, false, 1e-2); }
TEST(SoftmaxXent, LabelsBroadcast) {
  for (const int64_t classes : {10, 12, 1028}) Check<float>(9, classes, true, 1e-6);
}
TEST(SoftmaxXent, RowsOfManySizes) {
  for (const int64_t classes : {1, 2, 4, 8, 31, 32, 33, 128, 1023, 1024, 1025, 1032, 2048}) {
    Check<float>(3, classes, false, 1e-6);
    Check<double>(3, classes, false, 1e-13);
    Check<Half>(3, classes, false, 2e-3);
    Check<BFloat16>(3, classes, false, 1e-2);
  }
}

TEST(SoftmaxXent, NoRows) {
  OpTest(kOp)
      .Input(MakeTensor<float>({0, 2}, {}))
      .Input(MakeTensor<float>({0, 2}, {}))
      .Expect(MakeTensor<float>({0}, {}))
      .Expect(MakeTensor<float>({0, 2}, {}))
      .Run();
}

TEST(SoftmaxXent, RejectsShapesThatDoNotBroadcast) {
  OpTest(kOp)
      .Input(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(SoftmaxXent, RejectsVectors) {
  OpTest(kOp)
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "matrix");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
