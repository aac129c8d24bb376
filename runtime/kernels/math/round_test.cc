#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Round, Floats) {
#define CASE(T)                                                                \
  OpTest("Round").Input(MakeTensor<T>({6}, {0.5, 1.5, -0.5, -2.5, 2.25, -7}))  \
      .Expect(MakeTensor<T>({6}, {0, 2, -0.0, -2, 2, -7})).Run();                 \
  OpTest("IsInf").Input(MakeTensor<T>({4}, {1, NAN, INFINITY, -INFINITY}))     \
      .Expect(MakeTensor<bool>({4}, {0, 0, 1, 1})).Run();                      \
  OpTest("IsFinite").Input(MakeTensor<T>({4}, {1, NAN, INFINITY, -INFINITY}))  \
      .Expect(MakeTensor<bool>({4}, {1, 0, 0, 0})).Run();
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(Round, IntegersStay) {
  const Tensor x = MakeTensor<int32_t>({2}, {3, -4});
  OpTest("Round").Input(x).Expect(x).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
