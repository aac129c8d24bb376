#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Axes(const std::vector<int32_t>& axes) { return Tensor::Vector(axes); }

TEST(Max, AllTypes) {
#define CASE(T)                                                                  \
  OpTest("Max").Input(MakeTensor<T>({2, 3}, {1, 9, 3, 4, 5, 2})).Input(Axes({0}))    \
      .Expect(MakeTensor<T>({3}, {4, 9, 3})).Run();                                  \
  OpTest("Min").Input(MakeTensor<T>({2, 3}, {1, 9, 3, 4, 5, 2})).Input(Axes({1}))    \
      .Expect(MakeTensor<T>({2}, {1, 2})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Max, OfNothingIsTheEndOfTheType) {
  OpTest("Max").Input(MakeTensor<float>({0}, {})).Input(Axes({0}))
      .Expect(MakeTensor<float>({}, {-INFINITY})).Run();
  OpTest("Min").Input(MakeTensor<int32_t>({0}, {})).Input(Axes({0}))
      .Expect(MakeTensor<int32_t>({}, {2147483647})).Run();
}

// A NaN counts wherever it stands: in a lane, in the rest of a row, in a column.
TEST(Max, PassesNaN) {
  for (const int64_t position : {0, 17, 40, 999, 70001}) {
    std::vector<double> values(70003, -1.0);
    values[static_cast<size_t>(position)] = NAN;
    for (const char* op : {"Max", "Min"}) {
      OpTest(op).Input(MakeTensor<float>({70003}, values)).Input(Axes({0}))
          .Expect(MakeTensor<float>({}, {NAN})).Run();
      OpTest(op).Input(MakeTensor<float>({70003, 1}, values)).Input(Axes({0}))
          .Expect(MakeTensor<float>({1}, {NAN})).Run();
    }
  }
}

TEST(Max, LongRowsAndColumns) {
  constexpr int64_t kRows = 600, kColumns = 77;
  std::vector<double> values, down(kColumns, -1), across(kRows, -1);
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    const double value = static_cast<double>(i * 7919 % 46199);
    values.push_back(value);
    double& column = down[static_cast<size_t>(i % kColumns)];
    double& row = across[static_cast<size_t>(i / kColumns)];
    column = std::max(column, value);
    row = std::max(row, value);
  }
  const Tensor x = MakeTensor<int32_t>({kRows, kColumns}, values);
  OpTest("Max").Input(x).Input(Axes({0})).Expect(MakeTensor<int32_t>({kColumns}, down)).Run();
  OpTest("Max").Input(x).Input(Axes({1})).Expect(MakeTensor<int32_t>({kRows}, across)).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
