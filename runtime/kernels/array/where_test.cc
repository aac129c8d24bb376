#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Where, CoordinatesInOrder) {
  OpTest("Where").Input(MakeTensor<bool>({2, 3}, {0, 1, 0, 1, 0, 1}))
      .Expect(MakeTensor<int64_t>({3, 2}, {0, 1, 1, 0, 1, 2})).Run();
#define CASE(T)                                            \
  OpTest("Where").Input(MakeTensor<T>({3}, {0, 2, 1}))     \
      .Expect(MakeTensor<int64_t>({2, 1}, {1, 2})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Where, ScalarsAndNothing) {
  OpTest("Where").Input(MakeTensor<bool>({}, {1})).Expect(MakeTensor<int64_t>({1, 0}, {})).Run();
  OpTest("Where").Input(MakeTensor<bool>({}, {0})).Expect(MakeTensor<int64_t>({0, 0}, {})).Run();
  OpTest("Where").Input(MakeTensor<bool>({0, 2}, {})).Expect(MakeTensor<int64_t>({0, 2}, {})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
