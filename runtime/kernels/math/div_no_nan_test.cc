#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(DivNoNan, IsZeroWhereTheDivisorIs) {
#define CASE(T)                                                                      \
  OpTest("DivNoNan").Input(MakeTensor<T>({4}, {1, -3, 0, 5}))                        \
      .Input(MakeTensor<T>({4}, {2, 0, 0, -4}))                                      \
      .Expect(MakeTensor<T>({4}, {0.5, 0, 0, -1.25})).Run();
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(DivNoNan, Broadcasts) {
  OpTest("DivNoNan").Input(MakeTensor<float>({2, 1}, {6, 9})).Input(MakeTensor<float>({2}, {3, 0}))
      .Expect(MakeTensor<float>({2, 2}, {2, 0, 3, 0})).Run();
  OpTest("DivNoNan").Input(MakeTensor<float>({1}, {NAN})).Input(MakeTensor<float>({1}, {0}))
      .Expect(MakeTensor<float>({1}, {0})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
