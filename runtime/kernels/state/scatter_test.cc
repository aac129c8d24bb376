#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Scatters(const char* op, const std::vector<double>& expected) {
  VariableOpTest(op)
      .Variable(MakeTensor<T>({3, 2}, {8, 8, 4, 4, 2, 2}))
      .Input(MakeTensor<int32_t>({3}, {2, 0, 2}))
      .Input(MakeTensor<T>({3, 2}, {1, 2, 4, 8, 2, 1}))
      .ExpectVariable(MakeTensor<T>({3, 2}, expected))
      .Run();
}

template <typename T>
void AllScatters() {
  Scatters<T>("ScatterUpdate", {4, 8, 4, 4, 2, 1});
  Scatters<T>("ScatterAdd", {12, 16, 4, 4, 5, 5});
  Scatters<T>("ScatterSub", {4, 0, 4, 4, -1, -1});
  Scatters<T>("ScatterMul", {32, 64, 4, 4, 4, 4});
  Scatters<T>("ScatterDiv", {2, 1, 4, 4, 1, 1});
  Scatters<T>("ScatterMin", {4, 8, 4, 4, 1, 1});
  Scatters<T>("ScatterMax", {8, 8, 4, 4, 2, 2});
}

TEST(Scatter, Float) { AllScatters<float>(); }
TEST(Scatter, Double) { AllScatters<double>(); }
TEST(Scatter, Half) { AllScatters<Half>(); }
TEST(Scatter, BFloat16) { AllScatters<BFloat16>(); }
TEST(Scatter, Int32) { AllScatters<int32_t>(); }

TEST(Scatter, OneNumberForAllRows) {
  VariableOpTest("ScatterAdd")
      .Variable(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {1, 1}))
      .Input(MakeTensor<float>(Shape{}, {10}))
      .ExpectVariable(MakeTensor<float>({2, 2}, {1, 2, 23, 24}))
      .Run();
}

TEST(Scatter, RejectsRowsThatAreNotThere) {
  for (const double row : {-1.0, 2.0}) {
    VariableOpTest("ScatterUpdate")
        .Variable(MakeTensor<float>({2}, {1, 2}))
        .Input(MakeTensor<int32_t>({1}, {row}))
        .Input(MakeTensor<float>({1}, {1}))
        .RunExpectingError(Code::kInvalidArgument, "indices[0]");
  }
}

TEST(Scatter, RejectsUpdatesOfAnotherShape) {
  VariableOpTest("ScatterAdd")
      .Variable(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Input(MakeTensor<float>({1, 3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(Scatter, NeedsAnInitializedVariable) {
  VariableOpTest("ScatterAdd")
      .Uninitialized(DType::kFloat, {2})
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kFailedPrecondition, "uninitialized");
}

template <typename T>
void ScattersSlices() {
  const Tensor start = MakeTensor<T>({2, 2}, {1, 2, 3, 4});
  const Tensor places = MakeTensor<int32_t>({2, 2}, {0, 1, 1, 0});
  const Tensor updates = MakeTensor<T>({2}, {10, 1});
  VariableOpTest("ScatterNdUpdate").Variable(start).Input(places).Input(updates)
      .ExpectVariable(MakeTensor<T>({2, 2}, {1, 10, 1, 4})).Run();
  VariableOpTest("ScatterNdAdd").Variable(start).Input(places).Input(updates)
      .ExpectVariable(MakeTensor<T>({2, 2}, {1, 12, 4, 4})).Run();
  VariableOpTest("ScatterNdSub").Variable(start).Input(places).Input(updates)
      .ExpectVariable(MakeTensor<T>({2, 2}, {1, -8, 2, 4})).Run();
}

TEST(ScatterNd, FloatVariable) { ScattersSlices<float>(); }
TEST(ScatterNd, HalfVariable) { ScattersSlices<Half>(); }
TEST(ScatterNd, Int64Variable) { ScattersSlices<int64_t>(); }

TEST(ScatterNd, RejectsCoordinatesOutsideOfTheVariable) {
  VariableOpTest("ScatterNdAdd")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<int32_t>({1, 1}, {2}))
      .Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "does not index");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
