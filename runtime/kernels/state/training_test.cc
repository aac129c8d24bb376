#include "testing/random_values.h"
#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const char kSteps[] = "a step is taken from a variable near it";

constexpr int64_t kCount = 5;

// The state of an optimiser's variables, in double.
struct State {
  std::vector<double> var, first, second, grad;
};

// Numbers that are exact in half; slots are positive.
State Start() {
  State state;
  state.var = {1, -2, 0.5, 0, 4};
  state.first = {0.5, 1, 0.25, 2, 0.125};
  state.second = {0.25, 0.5, 1, 2, 4};
  state.grad = {0.5, -1, 2, 0.25, -0.125};
  return state;
}

template <typename T>
Tensor Vector(const std::vector<double>& values) {
  return MakeTensor<T>({kCount}, values);
}
template <typename T>
Tensor Scalar(double value) {
  return MakeTensor<T>(Shape{}, {value});
}

template <typename T>
double SlackOf() {
  return sizeof(T) == 8 ? 1e-13 : sizeof(T) == 4 ? 1e-6 : std::is_same_v<T, Half> ? 2e-3 : 2e-2;
}

template <typename T>
void CheckGradientDescent() {
  State s = Start();
  VariableOpTest test("ApplyGradientDescent");
  test.Variable(Vector<T>(s.var)).Input(Scalar<T>(0.25)).Input(Vector<T>(s.grad));
  for (size_t i = 0; i < kCount; ++i) s.var[i] -= 0.25 * s.grad[i];
  test.ExpectVariable(Vector<T>(s.var)).Within(Slack(SlackOf<T>(), kSteps)).Run();
}

template <typename T>
void CheckMomentum(bool nesterov) {
  State s = Start();
  VariableOpTest test("ApplyMomentum");
  test.Variable(Vector<T>(s.var)).Variable(Vector<T>(s.first));
  test.Input(Scalar<T>(0.25)).Input(Vector<T>(s.grad)).Input(Scalar<T>(0.5));
  for (size_t i = 0; i < kCount; ++i) {
    s.first[i] = 0.5 * s.first[i] + s.grad[i];
    s.var[i] -= 0.25 * (nesterov ? s.grad[i] + 0.5 * s.first[i] : s.first[i]);
  }
  test.ExpectVariable(Vector<T>(s.var)).ExpectVariable(Vector<T>(s.first));
  test.Attr("use_nesterov", nesterov).Within(Slack(SlackOf<T>(), kSteps)).Run();
}

template <typename T>
void CheckAdam(bool nesterov) {
  State s = Start();
  const double beta1 = 0.75, beta2 = 0.875, power1 = 0.5625, power2 = 0.765625;
  const double lr = 0.125, epsilon = 0.0625;
  VariableOpTest test("ApplyAdam");
  test.Variable(Vector<T>(s.var)).Variable(Vector<T>(s.first)).Variable(Vector<T>(s.second));
  for (const double scalar : {power1, power2, lr, beta1, beta2, epsilon}) {
    test.Input(Scalar<T>(scalar));
  }
  test.Input(Vector<T>(s.grad));
  for (size_t i = 0; i < kCount; ++i) {
    const double g = s.grad[i];
    s.first[i] = beta1 * s.first[i] + (1 - beta1) * g;
    s.second[i] = beta2 * s.second[i] + (1 - beta2) * g * g;
    const double m = nesterov ? beta1 * s.first[i] + (1 - beta1) * g : s.first[i];
    const double rate = lr * std::sqrt(1 - power2) / (1 - power1);
    s.var[i] -= rate * m / (std::sqrt(s.second[i]) + epsilon);
  }
  test.ExpectVariable(Vector<T>(s.var)).ExpectVariable(Vector<T>(s.first));
  test.ExpectVariable(Vector<T>(s.second)).Attr("use_nesterov", nesterov);
  test.Within(Slack(SlackOf<T>(), kSteps)).Run();
}

template <typename T>
void CheckRmsProp() {
  State s = Start();
  const double lr = 0.25, rho = 0.875, momentum = 0.5, epsilon = 0.0625;
  VariableOpTest test("ApplyRMSProp");
  test.Variable(Vector<T>(s.var)).Variable(Vector<T>(s.first)).Variable(Vector<T>(s.second));
  for (const double scalar : {lr, rho, momentum, epsilon}) test.Input(Scalar<T>(scalar));
  test.Input(Vector<T>(s.grad));
  for (size_t i = 0; i < kCount; ++i) {
    const double g = s.grad[i];
    s.first[i] = rho * s.first[i] + (1 - rho) * g * g;
    s.second[i] = momentum * s.second[i] + lr * g / std::sqrt(s.first[i] + epsilon);
    s.var[i] -= s.second[i];
  }
  test.ExpectVariable(Vector<T>(s.var)).ExpectVariable(Vector<T>(s.first));
  test.ExpectVariable(Vector<T>(s.second)).Within(Slack(SlackOf<T>(), kSteps)).Run();
}

template <typename T>
void CheckAdagrad(bool update_slots) {
  State s = Start();
  VariableOpTest test("ApplyAdagrad");
  test.Variable(Vector<T>(s.var)).Variable(Vector<T>(s.first));
  test.Input(Scalar<T>(0.25)).Input(Vector<T>(s.grad)).Attr("update_slots", update_slots);
  for (size_t i = 0; i < kCount; ++i) {
    if (update_slots) s.first[i] += s.grad[i] * s.grad[i];
    s.var[i] -= 0.25 * s.grad[i] / std::sqrt(s.first[i]);
  }
  test.ExpectVariable(Vector<T>(s.var)).ExpectVariable(Vector<T>(s.first));
  test.Within(Slack(SlackOf<T>(), kSteps)).Run();
}

template <typename T>
void CheckAll() {
  CheckGradientDescent<T>();
  CheckRmsProp<T>();
  for (const bool flag : {false, true}) {
    CheckMomentum<T>(flag);
    CheckAdam<T>(flag);
    CheckAdagrad<T>(flag);
  }
}

TEST(Training, Float) { CheckAll<float>(); }
TEST(Training, Double) { CheckAll<double>(); }
TEST(Training, Half) { CheckAll<Half>(); }
TEST(Training, BFloat16) { CheckAll<BFloat16>(); }

TEST(Training, ManyElements) {
  const int64_t count = 100003;
  const Tensor var = MakeTensor<float>({count}, RandomValues(count, 1));
  const Tensor grad = MakeTensor<float>({count}, RandomValues(count, 2));
  const std::vector<double> slope = Values(grad);
  std::vector<double> expected = Values(var);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] -= 0.5 * slope[i];
  VariableOpTest("ApplyGradientDescent")
      .Variable(var)
      .Input(Scalar<float>(0.5))
      .Input(grad)
      .ExpectVariable(MakeTensor<float>({count}, expected))
      .Run();
}

TEST(Training, RejectsGradientOfAnotherShape) {
  VariableOpTest("ApplyGradientDescent")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Input(Scalar<float>(0.5))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(Training, RejectsRateThatIsNoScalar) {
  VariableOpTest("ApplyGradientDescent")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(Training, NeedsInitializedSlots) {
  VariableOpTest("ApplyMomentum")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Uninitialized(DType::kFloat, {2})
      .Input(Scalar<float>(0.5))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(Scalar<float>(0.5))
      .RunExpectingError(Code::kFailedPrecondition, "uninitialized");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
