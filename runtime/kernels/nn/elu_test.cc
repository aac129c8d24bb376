#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const std::vector<double> kNumbers = {-20, -2, -0.5, -1e-3, 0, 0.25, 3, 50};
constexpr int64_t kCount = 8;

template <typename T>
void CheckElu(double ulps) {
  std::vector<double> values, slopes;
  const std::vector<double> rounded = Values(MakeTensor<T>({kCount}, kNumbers));
  for (const double x : rounded) values.push_back(x < 0 ? std::expm1(x) : x);
  const Tensor outputs = MakeTensor<T>({kCount}, values);
  for (const double y : Values(outputs)) slopes.push_back(y < 0 ? 2 * (y + 1) : 2);
  OpTest("Elu").Input(MakeTensor<T>({kCount}, rounded)).Expect(outputs).Within(Ulps(ulps)).Run();
  OpTest("EluGrad")
      .Input(MakeTensor<T>({kCount}, std::vector<double>(kCount, 2)))
      .Input(outputs)
      .Expect(MakeTensor<T>({kCount}, slopes))
      .Run();
}

TEST(Elu, Float) { CheckElu<float>(2); }
TEST(Elu, Double) { CheckElu<double>(2); }
TEST(Elu, Half) { CheckElu<Half>(1); }
TEST(Elu, BFloat16) { CheckElu<BFloat16>(1); }

template <typename T>
void CheckSoftsign() {
  std::vector<double> values, slopes;
  const std::vector<double> rounded = Values(MakeTensor<T>({kCount}, kNumbers));
  for (const double x : rounded) {
    values.push_back(x / (1 + std::fabs(x)));
    slopes.push_back(2 / std::pow(1 + std::fabs(x), 2));
  }
  OpTest("Softsign")
      .Input(MakeTensor<T>({kCount}, rounded))
      .Expect(MakeTensor<T>({kCount}, values))
      .Within(Ulps(2))
      .Run();
  OpTest("SoftsignGrad")
      .Input(MakeTensor<T>({kCount}, std::vector<double>(kCount, 2)))
      .Input(MakeTensor<T>({kCount}, rounded))
      .Expect(MakeTensor<T>({kCount}, slopes))
      .Within(Ulps(3))
      .Run();
}

TEST(Softsign, Float) { CheckSoftsign<float>(); }
TEST(Softsign, Double) { CheckSoftsign<double>(); }
TEST(Softsign, Half) { CheckSoftsign<Half>(); }
TEST(Softsign, BFloat16) { CheckSoftsign<BFloat16>(); }

TEST(EluGrad, RejectsDifferentShapes) {
  OpTest("EluGrad")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "same shape");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
