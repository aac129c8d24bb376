#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Diag, TwiceTheRank) {
#define CASE(T)                                               \
  OpTest("Diag").Input(MakeTensor<T>({2}, {3, 4}))            \
      .Expect(MakeTensor<T>({2, 2}, {3, 0, 0, 4})).Run();     \
  OpTest("DiagPart").Input(MakeTensor<T>({2, 2}, {3, 1, 2, 4})) \
      .Expect(MakeTensor<T>({2}, {3, 4})).Run();
  TFBUILD_ARITHMETIC_TYPES(CASE)
#undef CASE
  OpTest("DiagPart")
      .Input(MakeTensor<float>({1, 2, 1, 2}, {5, 1, 2, 6}))
      .Expect(MakeTensor<float>({1, 2}, {5, 6}))
      .Run();
}

TEST(Diag, RejectsScalarsAndUnequalHalves) {
  OpTest("Diag").Input(Tensor::Scalar<float>(1)).RunExpectingError(Code::kInvalidArgument, "");
  OpTest("DiagPart").Input(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("DiagPart").Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "even");
}

TEST(MatrixDiag, OfEachRow) {
  OpTest("MatrixDiag").Input(MakeTensor<int8_t>({2, 2}, {1, 2, 3, 4}))
      .Expect(MakeTensor<int8_t>({2, 2, 2}, {1, 0, 0, 2, 3, 0, 0, 4})).Run();
  OpTest("MatrixDiagPart").Input(MakeTensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Expect(MakeTensor<double>({2}, {1, 5})).Run();
  OpTest("MatrixDiagPart").Input(MakeTensor<double>({3, 0}, {}))
      .Expect(MakeTensor<double>({0}, {})).Run();
}

// More elements than a block of a GPU has threads.
TEST(MatrixDiag, OfLongRows) {
  std::vector<double> diagonals(2 * 300), matrices(2 * 300 * 300), replaced(matrices.size(), 7);
  for (size_t i = 0; i < diagonals.size(); ++i) {
    diagonals[i] = static_cast<double>(i % 97) + 1;
    const size_t at = i * 300 + i % 300;
    matrices[at] = replaced[at] = diagonals[i];
  }
#define CASE(T)                                                                               \
  {                                                                                           \
    const Tensor rows = MakeTensor<T>({2, 300}, diagonals);                                   \
    const Tensor with_zeros = MakeTensor<T>({2, 300, 300}, matrices);                         \
    OpTest("MatrixDiag").Input(rows).Expect(with_zeros).Run();                                \
    OpTest("MatrixDiagPart").Input(with_zeros).Expect(rows).Run();                            \
    OpTest("MatrixSetDiag")                                                                   \
        .Input(MakeTensor<T>({2, 300, 300}, std::vector<double>(matrices.size(), 7)))         \
        .Input(rows)                                                                          \
        .Expect(MakeTensor<T>({2, 300, 300}, replaced))                                       \
        .Run();                                                                               \
  }
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(MatrixSetDiag, ChangesTheDiagonalAlone) {
  OpTest("MatrixSetDiag")
      .Input(MakeTensor<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(MakeTensor<float>({1, 2}, {8, 9}))
      .Expect(MakeTensor<float>({1, 2, 3}, {8, 2, 3, 4, 9, 6}))
      .Run();
  OpTest("MatrixSetDiag").Input(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<float>({3}, {1, 2, 3})).RunExpectingError(Code::kInvalidArgument, "");
}

TEST(MatrixBandPart, KeepsWhatIsNear) {
  const Tensor all = MakeTensor<int32_t>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto band = [&all](int64_t lower, int64_t upper, const std::vector<double>& left) {
    OpTest("MatrixBandPart").Input(all).Input(Tensor::Scalar<int64_t>(lower))
        .Input(Tensor::Scalar<int64_t>(upper)).Expect(MakeTensor<int32_t>({3, 3}, left)).Run();
  };
  band(0, 0, {1, 0, 0, 0, 5, 0, 0, 0, 9});
  band(-1, 0, {1, 0, 0, 4, 5, 0, 7, 8, 9});
  band(0, 1, {1, 2, 0, 0, 5, 6, 0, 0, 9});
  band(-1, -1, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST(MatrixBandPart, RejectsWideBands) {
  OpTest("MatrixBandPart").Input(MakeTensor<float>({1, 1}, {1})).Input(Tensor::Scalar<int64_t>(2))
      .Input(Tensor::Scalar<int64_t>(0)).RunExpectingError(Code::kInvalidArgument, "num_lower");
  OpTest("MatrixBandPart").Input(MakeTensor<float>({1}, {1})).Input(Tensor::Scalar<int64_t>(0))
      .Input(Tensor::Scalar<int64_t>(0)).RunExpectingError(Code::kInvalidArgument, "");
}

TEST(MatrixDiag, RejectsStrings) {
  OpTest("MatrixDiag").Input(Tensor::Strings({1}, {"a"}))
      .RunExpectingError(Code::kUnimplemented, "string");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
