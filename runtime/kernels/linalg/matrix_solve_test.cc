#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Inverts() {
  OpTest("MatrixInverse")
      .Input(MakeTensor<T>({2, 2, 2}, {2, 1, 1, 1, 0, 2, 4, 0}))
      .Expect(MakeTensor<T>({2, 2, 2}, {1, -1, -1, 2, 0, 0.25, 0.5, 0}))
      .Run();
}

TEST(MatrixInverse, Float) { Inverts<float>(); }
TEST(MatrixInverse, Double) { Inverts<double>(); }
TEST(MatrixInverse, Complex) { Inverts<std::complex<double>>(); }

TEST(MatrixInverse, OfTheAdjoint) {
  OpTest("MatrixInverse")
      .Input(MakeTensor<double>({2, 2}, {1, 2, 0, 4}))
      .Attr("adjoint", true)
      .Expect(MakeTensor<double>({2, 2}, {1, 0, -0.5, 0.25}))
      .Run();
}

TEST(MatrixInverse, OfNothing) {
  OpTest("MatrixInverse").Input(MakeTensor<float>({0, 3, 3}, {}))
      .Expect(MakeTensor<float>({0, 3, 3}, {})).Run();
}

TEST(MatrixInverse, RejectsWhatHasNone) {
  OpTest("MatrixInverse").Input(MakeTensor<float>({2, 2}, {1, 2, 2, 4}))
      .RunExpectingError(Code::kInvalidArgument, "not invertible");
  OpTest("MatrixInverse").Input(MakeTensor<float>({1, 2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("MatrixInverse").Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(MatrixSolve, SolvesWithPivots) {
  OpTest("MatrixSolve")
      .Input(MakeTensor<double>({2, 2}, {0, 2, 1, 1}))
      .Input(MakeTensor<double>({2, 1}, {4, 3}))
      .Expect(MakeTensor<double>({2, 1}, {1, 2}))
      .Run();
  OpTest("MatrixSolve")
      .Input(MakeTensor<double>({2, 2}, {0, 2, 1, 1}))
      .Input(MakeTensor<double>({2, 1}, {4, 3}))
      .Attr("adjoint", true)
      .Expect(MakeTensor<double>({2, 1}, {-0.5, 4}))
      .Run();
}

TEST(MatrixSolve, RejectsOtherShapes) {
  OpTest("MatrixSolve").Input(MakeTensor<double>({2, 2}, {1, 0, 0, 1}))
      .Input(MakeTensor<double>({3, 1}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(MatrixDeterminant, OfAMatrixAndOfNone) {
  OpTest("MatrixDeterminant")
      .Input(MakeTensor<float>({2, 2, 2}, {0, 2, 3, 1, 1, 2, 2, 4}))
      .Expect(MakeTensor<float>({2}, {-6, 0}))
      .Run();
  OpTest("MatrixDeterminant").Input(MakeTensor<float>({0, 0}, {}))
      .Expect(MakeTensor<float>(Shape{}, {1})).Run();
}

// However large they would be: the work for one is more than a number says.
TEST(MatrixDeterminant, OfNoMatrices) {
  const Tensor none = MakeTensor<float>({0, int64_t{1} << 32, int64_t{1} << 32}, {});
  OpTest("MatrixDeterminant").Input(none).Expect(MakeTensor<float>({0}, {})).Run();
  OpTest("MatrixInverse").Input(none).Expect(none).Run();
}

TEST(LogMatrixDeterminant, SignAndSize) {
  OpTest("LogMatrixDeterminant")
      .Input(MakeTensor<double>({2, 2, 2}, {0, 2, 3, 1, 1, 2, 2, 4}))
      .Expect(MakeTensor<double>({2}, {-1, 0}))
      .Expect(MakeTensor<double>({2}, {1.791759469228055, -INFINITY}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
