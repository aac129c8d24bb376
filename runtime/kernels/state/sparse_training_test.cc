#include <cmath>

#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
Tensor Row(double value) { return MakeTensor<T>({3, 2}, {1, 1, value, value, 1, 1}); }
template <typename T>
Tensor Scalar(double value) { return MakeTensor<T>({}, {value}); }

// A step on the middle row of three.
template <typename T>
VariableOpTest OnMiddleRow(const std::string& op, int slots) {
  VariableOpTest test(op);
  for (int i = 0; i <= slots; ++i) test.Variable(Row<T>(1));
  return test;
}

template <typename T>
void Momentum(bool nesterov, double variable) {
  OnMiddleRow<T>("SparseApplyMomentum", 1)
      .Input(Scalar<T>(0.5))
      .Input(MakeTensor<T>({1, 2}, {2, 2}))
      .Input(Tensor::Vector<int32_t>({1}))
      .Input(Scalar<T>(0.5))
      .Attr("use_nesterov", nesterov)
      .ExpectVariable(Row<T>(variable))
      .ExpectVariable(Row<T>(2.5))
      .Run();
}
TEST(SparseMomentum, Float) { Momentum<float>(false, 1 - 0.5 * 2.5); }
TEST(SparseMomentum, Nesterov) { Momentum<double>(true, 1 - 0.5 * 2 - 0.5 * 0.5 * 2.5); }
TEST(SparseMomentum, Half) { Momentum<Half>(false, 1 - 0.5 * 2.5); }

TEST(SparseMomentum, Keras) {
  OnMiddleRow<float>("ResourceSparseApplyKerasMomentum", 1)
      .Input(Scalar<float>(0.5))
      .Input(MakeTensor<float>({1, 2}, {2, 2}))
      .Input(Tensor::Vector<int64_t>({1}))
      .Input(Scalar<float>(0.5))
      .ExpectVariable(Row<float>(0.5))
      .ExpectVariable(Row<float>(-0.5))
      .Run();
}

TEST(SparseAdagrad, DividesByTheRoot) {
  OnMiddleRow<float>("SparseApplyAdagrad", 1)
      .Input(Scalar<float>(0.5))
      .Input(MakeTensor<float>({1, 2}, {2, 2}))
      .Input(Tensor::Vector<int32_t>({1}))
      .ExpectVariable(Row<float>(1 - 1 / std::sqrt(5.0)))
      .ExpectVariable(Row<float>(5))
      .Run();
  OnMiddleRow<float>("ResourceSparseApplyAdagradV2", 1)
      .Input(Scalar<float>(0.5))
      .Input(Scalar<float>(1))
      .Input(MakeTensor<float>({1, 2}, {2, 2}))
      .Input(Tensor::Vector<int32_t>({1}))
      .ExpectVariable(Row<float>(1 - 1 / (std::sqrt(5.0) + 1)))
      .ExpectVariable(Row<float>(5))
      .Run();
}

TEST(SparseRmsProp, ChangesBothSlots) {
  const double squares = 1 + (4 - 1) * 0.5;
  const double step = 0.5 + 2 * 0.5 / std::sqrt(squares + 1);
  OnMiddleRow<double>("SparseApplyRMSProp", 2)
      .Input(Scalar<double>(0.5))
      .Input(Scalar<double>(0.5))
      .Input(Scalar<double>(0.5))
      .Input(Scalar<double>(1))
      .Input(MakeTensor<double>({1, 2}, {2, 2}))
      .Input(Tensor::Vector<int32_t>({1}))
      .ExpectVariable(Row<double>(1 - step))
      .ExpectVariable(Row<double>(squares))
      .ExpectVariable(Row<double>(step))
      .Run();
}

TEST(SparseTraining, AnIndexMayComeTwice) {
  VariableOpTest("SparseApplyAdagrad")
      .Variable(MakeTensor<float>({2}, {0, 0}))
      .Variable(MakeTensor<float>({2}, {0, 0}))
      .Input(Scalar<float>(1))
      .Input(MakeTensor<float>({2}, {3, 4}))
      .Input(Tensor::Vector<int32_t>({1, 1}))
      .ExpectVariable(MakeTensor<float>({2}, {0, -1 - 0.8}))
      .ExpectVariable(MakeTensor<float>({2}, {0, 25}))
      .Run();
}

TEST(SparseTraining, RefusesWhatDoesNotFit) {
  const auto with = [](const Tensor& gradient, const Tensor& indices, const std::string& part) {
    OnMiddleRow<float>("SparseApplyAdagrad", 1)
        .Input(Scalar<float>(1))
        .Input(gradient)
        .Input(indices)
        .RunExpectingError(Code::kInvalidArgument, part);
  };
  const Tensor row = MakeTensor<float>({1, 2}, {1, 1});
  with(row, Tensor::Vector<int32_t>({3}), "out of range");
  with(row, Tensor::Vector<int32_t>({-1}), "out of range");
  with(row, Tensor::Vector<int32_t>({0, 1}), "does not fit 2 rows");
  with(row, MakeTensor<int32_t>({}, {0}), "must be a vector");
}

// A row that comes several times takes several steps, one after another.
TEST(SparseTraining, ManyIndices) {
  std::vector<int32_t> indices;
  std::vector<double> gradient;
  for (int32_t i = 0; i < 90; ++i) {
    indices.push_back(i * i % 23);
    for (int32_t k = 0; k < 35; ++k) gradient.push_back((i * 5 + k) % 7 * 0.25 - 0.5);
  }
  const auto rows = [](double value) {
    return MakeTensor<float>({23, 35}, std::vector<double>(23 * 35, value));
  };
  VariableOpTest test("SparseApplyMomentum");
  test.Variable(rows(1)).Variable(rows(0.5)).Input(Scalar<float>(0.125))
      .Input(MakeTensor<float>({90, 35}, gradient)).Input(Tensor::Vector(indices))
      .Input(Scalar<float>(0.75));
  const Result<std::vector<Tensor>> expected = test.RunOn(CpuDevice());
  ASSERT_OK(expected);
  test.ExpectVariable((*expected)[0]).ExpectVariable((*expected)[1])
      .Within(Slack(1e-5, "as many steps as the row comes")).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
