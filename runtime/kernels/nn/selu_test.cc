// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Selu, Float) {
  OpTest("Selu")
      .Input(MakeTensor<float>({5}, {-9, -0.899999976, 0, 0.699999988, 3}))
      .Expect(MakeTensor<float>({5}, {-1.75788236, -1.04330945, 0, 0.73549068, 3.15210295}))
      .Within(Ulps(4))
      .Run();
}

TEST(Selu, Half) {
  OpTest("Selu")
      .Input(MakeTensor<Half>({2}, {-0.899902344, 0.700195312}))
      .Expect(MakeTensor<Half>({2}, {-1.04394531, 0.735839844}))
      .Run();
}

TEST(SeluGrad, Double) {
  OpTest("SeluGrad")
      .Input(MakeTensor<double>({3}, {1.0, 2.0, 3.0}))
      .Input(MakeTensor<double>({3}, {-0.5, 0.0, 2.0}))
      .Expect(MakeTensor<double>({3}, {1.2580993408473768, 2.101401974710961, 3.1521029620664414}))
      .Within(Ulps(2))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
