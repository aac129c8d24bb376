#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Relu6StaysInItsRange() {
  OpTest("Relu6")
      .Input(MakeTensor<T>({6}, {-1, 0, 2, 6, 7, 100}))
      .Expect(MakeTensor<T>({6}, {0, 0, 2, 6, 6, 6}))
      .Run();
}

TEST(Relu6, Float) { Relu6StaysInItsRange<float>(); }
TEST(Relu6, Double) { Relu6StaysInItsRange<double>(); }
TEST(Relu6, Half) { Relu6StaysInItsRange<Half>(); }
TEST(Relu6, BFloat16) { Relu6StaysInItsRange<BFloat16>(); }
TEST(Relu6, PassesNaN) {
  OpTest("Relu6").Input(MakeTensor<float>({1}, {NAN})).Expect(MakeTensor<float>({1}, {NAN})).Run();
}

TEST(Relu6Grad, IsZeroAtBothCorners) {
  OpTest("Relu6Grad")
      .Input(MakeTensor<float>({6}, {1, 2, 3, 4, 5, 6}))
      .Input(MakeTensor<float>({6}, {-1, 0, 2, 6, 7, NAN}))
      .Expect(MakeTensor<float>({6}, {0, 0, 3, 0, 0, 0}))
      .Run();
}

// As in TensorFlow 2.21.
TEST(Relu6Grad, PassesNaN) {
  OpTest("Relu6Grad")
      .Input(MakeTensor<float>({5}, {NAN, NAN, INFINITY, INFINITY, NAN}))
      .Input(MakeTensor<float>({5}, {-1, 7, 6, 2, 1}))
      .Expect(MakeTensor<float>({5}, {NAN, NAN, NAN, INFINITY, NAN}))
      .Run();
}

TEST(Relu6Grad, RejectsDifferentShapes) {
  OpTest("Relu6Grad")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "same shape");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
