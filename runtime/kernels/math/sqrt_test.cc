#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Sqrt, Floats) {
#define CASE(T)                                                                  \
  OpTest("Sqrt").Input(MakeTensor<T>({4}, {0, 1, 6.25, -1}))                     \
      .Expect(MakeTensor<T>({4}, {0, 1, 2.5, NAN})).Run();                       \
  OpTest("Rsqrt").Input(MakeTensor<T>({3}, {4, 0.25, 0}))                        \
      .Expect(MakeTensor<T>({3}, {0.5, 2, INFINITY})).Run();                     \
  OpTest("SqrtGrad").Input(MakeTensor<T>({2}, {2, 0.5})).Input(MakeTensor<T>({2}, {3, 1})) \
      .Expect(MakeTensor<T>({2}, {0.75, 1})).Run();                              \
  OpTest("RsqrtGrad").Input(MakeTensor<T>({2}, {2, -1})).Input(MakeTensor<T>({2}, {3, 4})) \
      .Expect(MakeTensor<T>({2}, {-12, 2})).Run();
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(Sqrt, GradientOfNothingIsNothing) {
#define CASE(T)                                                                               \
  for (const char* name : {"SqrtGrad", "RsqrtGrad", "ReciprocalGrad"}) {                      \
    OpTest(name).Input(MakeTensor<T>({4}, {NAN, 0, INFINITY, -0.0f}))                         \
        .Input(MakeTensor<T>({4}, {0, 0, 0, 0})).Expect(MakeTensor<T>({4}, {0, 0, 0, 0})).Run(); \
  }
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
