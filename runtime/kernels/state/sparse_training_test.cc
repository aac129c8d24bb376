#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const char kSteps[] = "a step is taken from a variable near it";

// Rows 2 and 0 of three are changed; numbers are exact in half.
struct State {
  std::vector<double> var = {1, -2, 0.5, 0, 4, 2};
  std::vector<double> first = {0.5, 1, 0.25, 2, 0.125, 1};
  std::vector<double> second = {4, 4, 1, 2, 4, 8};
  std::vector<double> third = {0.25, 0, 1, 2, 0.5, 1};
  std::vector<double> grad = {0.5, -1, 2, 0.25};
};

// Calls step(place in the variable, place in the gradient) for each element that is changed.
template <typename Step>
void ForEachChanged(Step step) {
  for (size_t j = 0; j < 2; ++j) {
    step(4 + j, j);
    step(j, 2 + j);
  }
}

template <typename T>
Tensor Matrix(const std::vector<double>& values) {
  return MakeTensor<T>({static_cast<int64_t>(values.size()) / 2, 2}, values);
}
template <typename T>
Tensor Scalar(double value) { return MakeTensor<T>(Shape{}, {value}); }
Tensor Rows() { return MakeTensor<int32_t>({2}, {2, 0}); }

template <typename T>
Closeness Near() {
  return Slack(sizeof(T) == 8 ? 1e-13 : sizeof(T) == 4 ? 1e-6 : std::is_same_v<T, Half> ? 2e-3
                                                                                        : 2e-2,
               kSteps);
}

template <typename T>
void CheckMomentum(bool nesterov) {
  State s;
  VariableOpTest test("SparseApplyMomentum");
  test.Variable(Matrix<T>(s.var)).Variable(Matrix<T>(s.first)).Input(Scalar<T>(0.25));
  test.Input(Matrix<T>(s.grad)).Input(Rows()).Input(Scalar<T>(0.5));
  ForEachChanged([&](size_t i, size_t k) {
    s.first[i] = 0.5 * s.first[i] + s.grad[k];
    s.var[i] -= 0.25 * (nesterov ? s.grad[k] + 0.5 * s.first[i] : s.first[i]);
  });
  test.ExpectVariable(Matrix<T>(s.var)).ExpectVariable(Matrix<T>(s.first));
  test.Attr("use_nesterov", nesterov).Within(Near<T>()).Run();
}

template <typename T>
void CheckAdagrad(bool update_slots) {
  State s;
  VariableOpTest test("SparseApplyAdagrad");
  test.Variable(Matrix<T>(s.var)).Variable(Matrix<T>(s.first)).Input(Scalar<T>(0.25));
  test.Input(Matrix<T>(s.grad)).Input(Rows()).Attr("update_slots", update_slots);
  ForEachChanged([&](size_t i, size_t k) {
    if (update_slots) s.first[i] += s.grad[k] * s.grad[k];
    s.var[i] -= 0.25 * s.grad[k] / std::sqrt(s.first[i]);
  });
  test.ExpectVariable(Matrix<T>(s.var)).ExpectVariable(Matrix<T>(s.first)).Within(Near<T>()).Run();
}

template <typename T>
void CheckRmsProp(bool centered) {
  State s;
  const double lr = 0.25, rho = 0.875, momentum = 0.5, epsilon = 0.0625;
  VariableOpTest test(centered ? "SparseApplyCenteredRMSProp" : "SparseApplyRMSProp");
  test.Variable(Matrix<T>(s.var));
  if (centered) test.Variable(Matrix<T>(s.third));
  test.Variable(Matrix<T>(s.second)).Variable(Matrix<T>(s.first));
  for (const double scalar : {lr, rho, momentum, epsilon}) test.Input(Scalar<T>(scalar));
  test.Input(Matrix<T>(s.grad)).Input(Rows());
  ForEachChanged([&](size_t i, size_t k) {
    s.second[i] = rho * s.second[i] + (1 - rho) * s.grad[k] * s.grad[k];
    s.third[i] = rho * s.third[i] + (1 - rho) * s.grad[k];
    const double mean = centered ? s.third[i] : 0;
    const double root = std::sqrt(s.second[i] - mean * mean + epsilon);
    s.first[i] = momentum * s.first[i] + lr * s.grad[k] / root;
    s.var[i] -= s.first[i];
  });
  test.ExpectVariable(Matrix<T>(s.var));
  if (centered) test.ExpectVariable(Matrix<T>(s.third));
  test.ExpectVariable(Matrix<T>(s.second)).ExpectVariable(Matrix<T>(s.first));
  test.Within(Near<T>()).Run();
}

template <typename T>
void CheckAll() {
  for (const bool flag : {false, true}) {
    CheckMomentum<T>(flag);
    CheckAdagrad<T>(flag);
    CheckRmsProp<T>(flag);
  }
}

TEST(SparseTraining, Float) { CheckAll<float>(); }
TEST(SparseTraining, Double) { CheckAll<double>(); }
TEST(SparseTraining, Half) { CheckAll<Half>(); }
TEST(SparseTraining, BFloat16) { CheckAll<BFloat16>(); }

VariableOpTest Adagrad(const Tensor& grad, const Tensor& rows) {
  VariableOpTest test("SparseApplyAdagrad");
  test.Variable(MakeTensor<float>({2, 1}, {1, 2})).Variable(MakeTensor<float>({2, 1}, {1, 1}));
  test.Input(Scalar<float>(0.5)).Input(grad).Input(rows);
  return test;
}

TEST(SparseTraining, RejectsRowsThatAreNotThere) {
  Adagrad(MakeTensor<float>({1, 1}, {1}), MakeTensor<int32_t>({1}, {2}))
      .RunExpectingError(Code::kInvalidArgument, "indices[0]");
}

TEST(SparseTraining, RejectsAGradientOfAnotherShape) {
  Adagrad(MakeTensor<float>({1, 2}, {1, 2}), MakeTensor<int32_t>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "");
  Adagrad(MakeTensor<float>({1, 1}, {1}), MakeTensor<int32_t>({1, 1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
