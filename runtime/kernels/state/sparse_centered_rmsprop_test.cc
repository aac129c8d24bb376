#include <cmath>

#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const char kSteps[] = "a step is taken from a variable near it";

template <typename T>
Tensor Scalar(double value) { return MakeTensor<T>(Shape{}, {value}); }

// Rows 2 and 0 of three are changed; numbers are exact in half.
template <typename T>
void ChangesTheRowsThatAreNamed(double slack) {
  std::vector<double> var = {1, -2, 0.5, 0, 4, 2}, mean = {0.25, 0, 1, 2, 0.5, 1};
  std::vector<double> squares = {4, 4, 1, 2, 4, 8}, step = {0.5, 1, 0.25, 2, 0.125, 1};
  const std::vector<double> grad = {0.5, -1, 2, 0.25};
  const double lr = 0.25, rho = 0.875, momentum = 0.5, epsilon = 0.0625;
  VariableOpTest test("SparseApplyCenteredRMSProp");
  for (const auto* values : {&var, &mean, &squares, &step}) {
    test.Variable(MakeTensor<T>({3, 2}, *values));
  }
  for (const double scalar : {lr, rho, momentum, epsilon}) test.Input(Scalar<T>(scalar));
  test.Input(MakeTensor<T>({2, 2}, grad)).Input(Tensor::Vector<int32_t>({2, 0}));
  for (size_t k = 0; k < grad.size(); ++k) {
    const size_t i = k < 2 ? 4 + k : k - 2;
    squares[i] = rho * squares[i] + (1 - rho) * grad[k] * grad[k];
    mean[i] = rho * mean[i] + (1 - rho) * grad[k];
    const double root = std::sqrt(squares[i] - mean[i] * mean[i] + epsilon);
    step[i] = momentum * step[i] + lr * grad[k] / root;
    var[i] -= step[i];
  }
  for (const auto* values : {&var, &mean, &squares, &step}) {
    test.ExpectVariable(MakeTensor<T>({3, 2}, *values));
  }
  test.Within(Slack(slack, kSteps)).Run();
}

TEST(SparseCenteredRmsProp, Float) { ChangesTheRowsThatAreNamed<float>(1e-6); }
TEST(SparseCenteredRmsProp, Double) { ChangesTheRowsThatAreNamed<double>(1e-13); }
TEST(SparseCenteredRmsProp, Half) { ChangesTheRowsThatAreNamed<Half>(2e-3); }
TEST(SparseCenteredRmsProp, BFloat16) { ChangesTheRowsThatAreNamed<BFloat16>(2e-2); }

void Refuses(const Tensor& grad, const Tensor& rows, const std::string& part) {
  VariableOpTest test("SparseApplyCenteredRMSProp");
  for (int i = 0; i < 4; ++i) test.Variable(MakeTensor<float>({2, 1}, {1, 2}));
  for (int i = 0; i < 4; ++i) test.Input(Scalar<float>(0.5));
  test.Input(grad).Input(rows).RunExpectingError(Code::kInvalidArgument, part);
}

TEST(SparseCenteredRmsProp, RefusesWhatDoesNotFit) {
  Refuses(MakeTensor<float>({1, 1}, {1}), MakeTensor<int32_t>({1}, {2}), "indices[0]");
  Refuses(MakeTensor<float>({1, 2}, {1, 2}), MakeTensor<int32_t>({1}, {1}), "");
  Refuses(MakeTensor<float>({1, 1}, {1}), MakeTensor<int32_t>({1, 1}, {1}), "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
