#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Check(int64_t count, double ulps) {
  const Tensor input = MakeTensor<T>({count}, RandomValues(count, 4));
  long double sum = 0;  // which rounds less than what is tested
  for (const double value : Values(input)) sum += value * value / 2;
  OpTest("L2Loss")
      .Input(input)
      .Expect(MakeTensor<T>(Shape{}, {static_cast<double>(sum)}))
      .Within(Ulps(ulps))
      .Run();
}

TEST(L2Loss, Float) {
  Check<float>(5, 1);
  Check<float>(100001, 2);
}
TEST(L2Loss, Double) { Check<double>(100001, 400); }
TEST(L2Loss, Half) { Check<Half>(1000, 1); }
TEST(L2Loss, BFloat16) { Check<BFloat16>(1000, 1); }
TEST(L2Loss, Empty) {
  OpTest("L2Loss").Input(MakeTensor<float>({0}, {})).Expect(MakeTensor<float>(Shape{}, {0})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
