#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// [[2, 1, 0], [3, 0, 4], [0, 5, 6]] has to exchange rows; what lies beyond it is 99.
const std::vector<double> kDiagonals = {1, 4, 99, 2, 0, 6, 99, 3, 5};

template <typename T>
void Solves() {
  OpTest("TridiagonalSolve")
      .Input(MakeTensor<T>({1, 3, 3}, kDiagonals))
      .Input(MakeTensor<T>({1, 3, 2}, {4, 2, 15, 3, 28, 0}))
      .Expect(MakeTensor<T>({1, 3, 2}, {1, 1, 2, 0, 3, 0}))
      .Within(Slack(1e-6, "rounded"))
      .Run();
}

template <typename T>
void Multiplies() {
  OpTest("TridiagonalMatMul")
      .Input(MakeTensor<T>({1, 3}, {1, 4, 99}))
      .Input(MakeTensor<T>({1, 3}, {2, 0, 6}))
      .Input(MakeTensor<T>({1, 3}, {99, 3, 5}))
      .Input(MakeTensor<T>({3, 2}, {1, 1, 2, 0, 3, 0}))
      .Expect(MakeTensor<T>({3, 2}, {4, 2, 15, 3, 28, 0}))
      .Run();
}

TEST(TridiagonalSolve, Float) { Solves<float>(); }
TEST(TridiagonalSolve, Double) { Solves<double>(); }
TEST(TridiagonalSolve, Complex) { Solves<std::complex<double>>(); }
TEST(TridiagonalMatMul, Float) { Multiplies<float>(); }
TEST(TridiagonalMatMul, Double) { Multiplies<double>(); }
TEST(TridiagonalMatMul, Complex) { Multiplies<std::complex<float>>(); }

TEST(TridiagonalSolve, WithoutExchanges) {
  OpTest("TridiagonalSolve")
      .Input(MakeTensor<double>({3, 2}, {1, 0, 2, 4, 0, 2}))
      .Input(MakeTensor<double>({2, 1}, {4, 10}))
      .Attr("partial_pivoting", false)
      .Expect(MakeTensor<double>({2, 1}, {1, 2}))
      .Run();
  OpTest("TridiagonalSolve")
      .Input(MakeTensor<double>({3, 2}, {1, 0, 0, 4, 0, 2}))
      .Input(MakeTensor<double>({2, 1}, {4, 10}))
      .Attr("partial_pivoting", false)
      .RunExpectingError(Code::kInvalidArgument, "not invertible");
}

TEST(TridiagonalSolve, OfOneAndOfNothing) {
  OpTest("TridiagonalSolve").Input(MakeTensor<float>({3, 1}, {7, 2, 7}))
      .Input(MakeTensor<float>({1, 1}, {6})).Expect(MakeTensor<float>({1, 1}, {3})).Run();
  OpTest("TridiagonalSolve").Input(MakeTensor<float>({3, 0}, {}))
      .Input(MakeTensor<float>({0, 2}, {})).Expect(MakeTensor<float>({0, 2}, {})).Run();
}

TEST(TridiagonalSolve, Refuses) {
  OpTest("TridiagonalSolve").Input(MakeTensor<float>({3, 2}, {1, 0, 1, 1, 0, 1}))
      .Input(MakeTensor<float>({2, 1}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "not invertible");
  OpTest("TridiagonalSolve").Input(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<float>({2, 1}, {1, 2})).RunExpectingError(Code::kInvalidArgument, "");
  OpTest("TridiagonalMatMul").Input(MakeTensor<float>({1, 2}, {1, 2}))
      .Input(MakeTensor<float>({1, 3}, {1, 2, 3})).Input(MakeTensor<float>({1, 2}, {1, 2}))
      .Input(MakeTensor<float>({2, 1}, {1, 2})).RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
