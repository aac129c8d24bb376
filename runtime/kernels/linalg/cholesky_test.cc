#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Factors() {
  OpTest("Cholesky")
      .Input(MakeTensor<T>({1, 2, 2}, {4, 99, 2, 5}))  // the upper half is not read
      .Expect(MakeTensor<T>({1, 2, 2}, {2, 0, 1, 2}))
      .Run();
}

TEST(Cholesky, Float) { Factors<float>(); }
TEST(Cholesky, Double) { Factors<double>(); }
TEST(Cholesky, Complex) { Factors<std::complex<float>>(); }

// As in TensorFlow 2: a step that meets one such matrix goes on with the others.
TEST(Cholesky, OfWhatIsNotPositiveIsNaN) {
  OpTest("Cholesky").Input(MakeTensor<float>({2, 2, 2}, {1, 2, 2, 1, 4, 0, 2, 5}))
      .Expect(MakeTensor<float>({2, 2, 2}, {NAN, 0, NAN, NAN, 2, 0, 1, 2})).Run();
  OpTest("Cholesky").Input(MakeTensor<double>({2, 2}, {NAN, 0, 0, 1}))
      .Expect(MakeTensor<double>({2, 2}, {NAN, 0, NAN, NAN})).Run();
}

TEST(Cholesky, RejectsOtherShapes) {
  OpTest("Cholesky").Input(MakeTensor<float>({2, 1}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

// So many that a note on each would not fit into memory.
TEST(Cholesky, OfNothing) {
  const Tensor nothing = MakeTensor<float>({int64_t{1} << 40, 0, 0}, {});
  OpTest("Cholesky").Input(nothing).Expect(nothing).Run();
}

TEST(MatrixTriangularSolve, BothTrianglesBothWays) {
  const Tensor matrix = MakeTensor<double>({2, 2}, {2, 3, 4, 5});
  const Tensor right = MakeTensor<double>({2, 1}, {4, 10});
  const struct {
    bool lower;
    bool adjoint;
    std::vector<double> x;
  } cases[] = {{true, false, {2, 0.4}}, {false, false, {-1, 2}},
               {true, true, {-2, 2}}, {false, true, {2, 0.8}}};
  for (const auto& one : cases) {
    OpTest("MatrixTriangularSolve").Input(matrix).Input(right)
        .Attr("lower", one.lower).Attr("adjoint", one.adjoint)
        .Expect(MakeTensor<double>({2, 1}, one.x)).Run();
  }
}

TEST(MatrixTriangularSolve, BatchesBroadcast) {
  OpTest("MatrixTriangularSolve")
      .Input(MakeTensor<float>({1, 1}, {2}))
      .Input(MakeTensor<float>({3, 1, 2}, {2, 4, 6, 8, 10, 12}))
      .Expect(MakeTensor<float>({3, 1, 2}, {1, 2, 3, 4, 5, 6}))
      .Run();
}

TEST(MatrixTriangularSolve, ZerosDivide) {
  OpTest("MatrixTriangularSolve").Input(MakeTensor<float>({2, 2}, {1, 0, 0, 0}))
      .Input(MakeTensor<float>({2, 1}, {1, 1}))
      .Expect(MakeTensor<float>({2, 1}, {1, INFINITY})).Run();
}

TEST(MatrixTriangularSolve, RejectsOtherShapes) {
  OpTest("MatrixTriangularSolve").Input(MakeTensor<float>({2, 2}, {1, 1, 1, 1}))
      .Input(MakeTensor<float>({3, 1}, {1, 1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
