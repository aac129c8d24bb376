#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void LeakyReluScalesNegatives() {
  OpTest("LeakyRelu")
      .Input(MakeTensor<T>({2, 2}, {-4, 0, 2, -8}))
      .Attr("alpha", 0.25f)
      .Expect(MakeTensor<T>({2, 2}, {-1, 0, 2, -2}))
      .Run();
}

TEST(LeakyRelu, Float) { LeakyReluScalesNegatives<float>(); }
TEST(LeakyRelu, Double) { LeakyReluScalesNegatives<double>(); }
TEST(LeakyRelu, Half) { LeakyReluScalesNegatives<Half>(); }
TEST(LeakyRelu, BFloat16) { LeakyReluScalesNegatives<BFloat16>(); }

// 0.2 is no half: TensorFlow multiplies by the nearest one, 0.19995.
TEST(LeakyRelu, RoundsAlphaAsTheValues) {
  OpTest("LeakyRelu")
      .Input(MakeTensor<Half>({2}, {-3, -7}))
      .Expect(MakeTensor<Half>({2}, {-0.59961, -1.39941}))
      .Run();
}

TEST(LeakyRelu, PassesNaN) {
  OpTest("LeakyRelu")
      .Input(MakeTensor<float>({1}, {NAN}))
      .Expect(MakeTensor<float>({1}, {NAN}))
      .Run();
}

TEST(LeakyReluGrad, IsAlphaWhereTheFeatureIsNotPositive) {
  OpTest("LeakyReluGrad")
      .Input(MakeTensor<float>({4}, {1, 2, 3, 4}))
      .Input(MakeTensor<float>({4}, {-1, 0, 2, 5}))
      .Attr("alpha", 0.5f)
      .Expect(MakeTensor<float>({4}, {0.5, 1, 3, 4}))
      .Run();
}

TEST(LeakyReluGrad, RejectsDifferentShapes) {
  OpTest("LeakyReluGrad")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "same shape");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
