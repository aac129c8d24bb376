#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kLabels[] = "a label is taken from a probability near it";

const char kOp[] = "SparseSoftmaxCrossEntropyWithLogits";

template <typename T, typename Label>
void Check(int64_t rows, int64_t classes, double slack) {
  std::vector<double> values = RandomValues(rows * classes, 5);
  for (double& value : values) value *= 5;
  const Tensor features = MakeTensor<T>({rows, classes}, values);
  const std::vector<double> x = Values(features);
  std::vector<double> labels, loss, gradient;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t label = (row * 7) % classes;
    labels.push_back(static_cast<double>(label));
    const double* logits = x.data() + row * classes;
    double sum = 0;
    for (int64_t i = 0; i < classes; ++i) sum += std::exp(logits[i]);
    loss.push_back(std::log(sum) - logits[label]);
    for (int64_t i = 0; i < classes; ++i) {
      gradient.push_back(std::exp(logits[i]) / sum - (i == label ? 1 : 0));
    }
  }
  OpTest(kOp)
      .Input(features)
      .Input(MakeTensor<Label>({rows}, labels))
      .Expect(MakeTensor<T>({rows}, loss))
      .Expect(MakeTensor<T>({rows, classes}, gradient))
      .Within(Slack(slack, kLabels))
      .Run();
}

TEST(SparseSoftmaxXent, Float) {
  Check<float, int32_t>(3, 4, 1e-6);
  Check<float, int64_t>(128, 10, 1e-6);
  Check<float, int64_t>(50, 1001, 1e-6);
}
TEST(SparseSoftmaxXent, Double) { Check<double, int64_t>(9, 10, 1e-13); }
TEST(SparseSoftmaxXent, Half) { Check<Half, int32_t>(9, 10, 2e-3); }
TEST(SparseSoftmaxXent, BFloat16) { Check<BFloat16, int32_t>(9, 10, 1e-2); }

TEST(SparseSoftmaxXent, RowsOfManySizes) {
  for (const int64_t classes : {1, 2, 4, 8, 31, 32, 33, 128, 1023, 1024, 1025, 1032, 2048}) {
    Check<float, int32_t>(3, classes, 1e-6);
    Check<double, int64_t>(3, classes, 1e-13);
    Check<Half, int32_t>(3, classes, 2e-3);
    Check<BFloat16, int64_t>(3, classes, 1e-2);
  }
}

TEST(SparseSoftmaxXent, HugeLogitsDoNotOverflow) {
  OpTest(kOp)
      .Input(MakeTensor<float>({1, 2}, {1000, 0}))
      .Input(MakeTensor<int64_t>({1}, {1}))
      .Expect(MakeTensor<float>({1}, {1000}))
      .Expect(MakeTensor<float>({1, 2}, {1, -1}))
      .Run();
}

TEST(SparseSoftmaxXent, NoRows) {
  OpTest(kOp)
      .Input(MakeTensor<float>({0, 2}, {}))
      .Input(MakeTensor<int64_t>({0}, {}))
      .Expect(MakeTensor<float>({0}, {}))
      .Expect(MakeTensor<float>({0, 2}, {}))
      .Run();
}

// An error on the CPU; NaN on a GPU, as in TensorFlow.
TEST(SparseSoftmaxXent, LabelsOutOfRange) {
  for (const double label : {-1, 2}) {
    OpTest test(kOp);
    test.Input(MakeTensor<float>({2, 2}, {1, 2, 3, 3}))
        .Input(MakeTensor<int32_t>({2}, {label, 1}));
    EXPECT_ERROR(test.RunOnCpu(), Code::kInvalidArgument, "outside the valid range of [0, 2)");
    for (Device* device : LocalDevices()) {
      if (device->type() == DeviceType::kCpu) continue;
      const Result<std::vector<Tensor>> outputs = test.RunOn(device);
      ASSERT_OK(outputs);
      ExpectClose((*outputs)[0], MakeTensor<float>({2}, {NAN, std::log(2.0)}), Ulps(3));
      ExpectClose((*outputs)[1], MakeTensor<float>({2, 2}, {NAN, NAN, 0.5, -0.5}), Ulps(3));
    }
  }
}

TEST(SparseSoftmaxXent, RejectsOtherNumberOfLabels) {
  OpTest(kOp)
      .Input(MakeTensor<float>({1, 2}, {1, 2}))
      .Input(MakeTensor<int32_t>({2}, {0, 1}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
