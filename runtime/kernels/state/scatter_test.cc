#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// A variable of three rows, of which the last and the first are changed; the last one twice.
template <typename T>
void Scatters(const std::string& op, const std::vector<double>& expected) {
  VariableOpTest(op)
      .Variable(MakeTensor<T>({3, 2}, {8, 4, 2, 6, 4, 8}))
      .Input(Tensor::Vector<int32_t>({2, 0, 2}))
      .Input(MakeTensor<T>({3, 2}, {2, 4, 4, 1, 2, 2}))
      .ExpectVariable(MakeTensor<T>({3, 2}, expected))
      .Run();
}

template <typename T>
void ScattersInEachWay() {
  Scatters<T>("ScatterUpdate", {4, 1, 2, 6, 2, 2});
  Scatters<T>("ScatterAdd", {12, 5, 2, 6, 8, 14});
  Scatters<T>("ScatterMul", {32, 4, 2, 6, 16, 64});
  Scatters<T>("ScatterDiv", {2, 4, 2, 6, 1, 1});
}
TEST(Scatter, Float) { ScattersInEachWay<float>(); }
TEST(Scatter, Double) { ScattersInEachWay<double>(); }
TEST(Scatter, Half) { ScattersInEachWay<Half>(); }
TEST(Scatter, BFloat16) { ScattersInEachWay<BFloat16>(); }
TEST(Scatter, Int32) { ScattersInEachWay<int32_t>(); }
TEST(Scatter, Int64) { ScattersInEachWay<int64_t>(); }
TEST(Scatter, Int8) { ScattersInEachWay<int8_t>(); }
TEST(Scatter, Subtracts) { Scatters<float>("ScatterSub", {4, 3, 2, 6, 0, 2}); }
TEST(Scatter, TakesTheSmaller) { Scatters<float>("ScatterMin", {4, 1, 2, 6, 2, 2}); }
TEST(Scatter, TakesTheLarger) { Scatters<int32_t>("ScatterMax", {8, 4, 2, 6, 4, 8}); }

TEST(Scatter, IntegersWrapAround) {
  VariableOpTest("ScatterAdd")
      .Variable(MakeTensor<int32_t>({2}, {2147483647, 1}))
      .Input(Tensor::Vector<int32_t>({0}))
      .Input(MakeTensor<int32_t>({1}, {1}))
      .ExpectVariable(MakeTensor<int32_t>({2}, {-2147483648.0, 1}))
      .Run();
}

TEST(Scatter, OneScalarForAll) {
  VariableOpTest("ScatterAdd")
      .Variable(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(Tensor::Vector<int64_t>({1}))
      .Input(MakeTensor<float>({}, {10}))
      .ExpectVariable(MakeTensor<float>({2, 2}, {1, 2, 13, 14}))
      .Run();
}

TEST(Scatter, RefusesWhatIsOutside) {
  for (const int32_t index : {-1, 2}) {
    VariableOpTest("ScatterUpdate")
        .Variable(MakeTensor<float>({2}, {1, 2}))
        .Input(Tensor::Vector<int32_t>({0, index}))
        .Input(MakeTensor<float>({2}, {10, 10}))
        .RunExpectingError(Code::kInvalidArgument, "indices[1]");
  }
}

TEST(Scatter, RefusesUpdatesOfAnotherShape) {
  VariableOpTest("ScatterAdd")
      .Variable(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(Tensor::Vector<int32_t>({0}))
      .Input(MakeTensor<float>({1, 3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "updates.shape");
}

TEST(Scatter, RefusesToDivideAnIntegerByZero) {
  VariableOpTest("ScatterDiv")
      .Variable(MakeTensor<int32_t>({2}, {1, 2}))
      .Input(Tensor::Vector<int32_t>({0}))
      .Input(MakeTensor<int32_t>({1}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "division by zero");
}

TEST(Scatter, NeedsAValue) {
  VariableOpTest("ScatterAdd")
      .Uninitialized(DType::kFloat, {2})
      .Input(Tensor::Vector<int32_t>({0}))
      .Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kFailedPrecondition, "uninitialized");
}

// Some rows come often, some never; sums of whole numbers are the same in each order.
TEST(Scatter, ManyIndices) {
  std::vector<int64_t> indices;
  std::vector<double> updates;
  for (int64_t i = 0; i < 700; ++i) {
    indices.push_back(i * i % 41);
    for (int64_t k = 0; k < 33; ++k) updates.push_back(static_cast<double>((i * 7 + k) % 13 - 6));
  }
  for (const char* op : {"ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMin", "ScatterMax"}) {
    VariableOpTest test(op);
    test.Variable(MakeTensor<float>({41, 33}, std::vector<double>(41 * 33, 2)))
        .Input(Tensor::Vector(indices))
        .Input(MakeTensor<float>({700, 33}, updates));
    const Result<std::vector<Tensor>> expected = test.RunOn(CpuDevice());
    ASSERT_OK(expected);
    test.ExpectVariable((*expected)[0]).Run();
  }
}

TEST(Scatter, NoIndices) {
  VariableOpTest("ScatterAdd")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Input(Tensor::Vector<int32_t>({}))
      .Input(MakeTensor<float>({0}, {}))
      .ExpectVariable(MakeTensor<float>({2}, {1, 2}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
