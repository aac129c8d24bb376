#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void ReluKeepsPositives() {
  OpTest("Relu")
      .Input(MakeTensor<T>({2, 2}, {-1, 0, 2, -3}))
      .Expect(MakeTensor<T>({2, 2}, {0, 0, 2, 0}))
      .Run();
}

TEST(Relu, Float) { ReluKeepsPositives<float>(); }
TEST(Relu, Double) { ReluKeepsPositives<double>(); }
TEST(Relu, Half) { ReluKeepsPositives<Half>(); }
TEST(Relu, BFloat16) { ReluKeepsPositives<BFloat16>(); }
TEST(Relu, Int32) { ReluKeepsPositives<int32_t>(); }

TEST(Relu, PassesNaN) {
  OpTest("Relu")
      .Input(MakeTensor<float>({1}, {NAN}))
      .Expect(MakeTensor<float>({1}, {NAN}))
      .Run();
}

TEST(Relu, Empty) {
  OpTest("Relu").Input(MakeTensor<float>({0, 3}, {})).Expect(MakeTensor<float>({0, 3}, {})).Run();
}

TEST(ReluGrad, IsZeroWhereTheFeatureIsNotPositive) {
  OpTest("ReluGrad")
      .Input(MakeTensor<float>({4}, {1, 2, 3, 4}))
      .Input(MakeTensor<float>({4}, {-1, 0, 2, 5}))
      .Expect(MakeTensor<float>({4}, {0, 0, 3, 4}))
      .Run();
}

// As in TensorFlow 2.21: what diverges is seen wherever it is.
TEST(ReluGrad, PassesNaN) {
  OpTest("ReluGrad")
      .Input(MakeTensor<float>({5}, {NAN, INFINITY, -INFINITY, INFINITY, 1}))
      .Input(MakeTensor<float>({5}, {-1, -1, 0, 2, NAN}))
      .Expect(MakeTensor<float>({5}, {NAN, NAN, NAN, INFINITY, 0}))
      .Run();
}

TEST(ReluGrad, RejectsDifferentShapes) {
  OpTest("ReluGrad")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "same shape");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
