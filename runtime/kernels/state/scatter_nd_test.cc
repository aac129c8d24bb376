#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Scatters(const char* op, const std::vector<double>& expected) {
  VariableOpTest(op)
      .Variable(MakeTensor<T>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<int32_t>({2, 2}, {0, 1, 1, 0}))
      .Input(MakeTensor<T>({2}, {10, 1}))
      .ExpectVariable(MakeTensor<T>({2, 2}, expected))
      .Run();
}

template <typename T>
void ScattersInEachWay() {
  Scatters<T>("ScatterNdUpdate", {1, 10, 1, 4});
  Scatters<T>("ScatterNdAdd", {1, 12, 4, 4});
  Scatters<T>("ScatterNdSub", {1, -8, 2, 4});
}

TEST(ScatterNdOfVariables, Float) { ScattersInEachWay<float>(); }
TEST(ScatterNdOfVariables, Double) { ScattersInEachWay<double>(); }
TEST(ScatterNdOfVariables, Half) { ScattersInEachWay<Half>(); }
TEST(ScatterNdOfVariables, BFloat16) { ScattersInEachWay<BFloat16>(); }
TEST(ScatterNdOfVariables, Int64) { ScattersInEachWay<int64_t>(); }

TEST(ScatterNdOfVariables, OneSliceTwice) {
  VariableOpTest("ScatterNdAdd")
      .Variable(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<int64_t>({2, 1}, {1, 1}))
      .Input(MakeTensor<float>({2, 2}, {10, 20, 1, 2}))
      .ExpectVariable(MakeTensor<float>({2, 2}, {1, 2, 14, 26}))
      .Run();
}

TEST(ScatterNdOfVariables, IgnoreCoordinatesOutsideWhereTheyAreAskedTo) {
  const auto expect = [](const char* op, const std::vector<double>& expected) {
    VariableOpTest(op)
        .Attr("bad_indices_policy", std::string("IGNORE"))
        .Variable(MakeTensor<float>({3}, {1, 2, 3}))
        .Input(MakeTensor<int32_t>({3, 1}, {0, 9, 1}))
        .Input(MakeTensor<float>({3}, {1, 2, 3}))
        .ExpectVariable(MakeTensor<float>({3}, expected))
        .Run();
  };
  expect("ScatterNdUpdate", {1, 3, 3});
  expect("ScatterNdAdd", {2, 5, 3});
  expect("ScatterNdSub", {0, -1, 3});
}

TEST(ScatterNdOfVariables, RejectsWhatDoesNotFit) {
  VariableOpTest("ScatterNdAdd")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<int32_t>({1, 1}, {2}))
      .Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "does not index");
  VariableOpTest("ScatterNdAdd")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<int32_t>({1, 1}, {0}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(ScatterNdOfVariables, NeedsAnInitializedVariable) {
  VariableOpTest("ScatterNdUpdate")
      .Uninitialized(DType::kFloat, {2})
      .Input(MakeTensor<int32_t>({1, 1}, {0}))
      .Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kFailedPrecondition, "uninitialized");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
