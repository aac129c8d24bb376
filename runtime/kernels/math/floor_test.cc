#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Floor, Floats) {
#define CASE(T)                                                              \
  OpTest("Floor").Input(MakeTensor<T>({4}, {1.5, -1.5, 2, -0.25}))           \
      .Expect(MakeTensor<T>({4}, {1, -2, 2, -1})).Run();                     \
  OpTest("Ceil").Input(MakeTensor<T>({4}, {1.5, -1.5, 2, 0.25}))             \
      .Expect(MakeTensor<T>({4}, {2, -1, 2, 1})).Run();                      \
  OpTest("IsNan").Input(MakeTensor<T>({3}, {1, NAN, INFINITY}))              \
      .Expect(MakeTensor<bool>({3}, {0, 1, 0})).Run();
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
