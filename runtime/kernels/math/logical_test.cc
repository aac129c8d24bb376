#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Logical, Tables) {
  const Tensor x = MakeTensor<bool>({2, 1}, {0, 1});
  const Tensor y = MakeTensor<bool>({2}, {0, 1});
  OpTest("LogicalAnd").Input(x).Input(y).Expect(MakeTensor<bool>({2, 2}, {0, 0, 0, 1})).Run();
  OpTest("LogicalOr").Input(x).Input(y).Expect(MakeTensor<bool>({2, 2}, {0, 1, 1, 1})).Run();
  OpTest("LogicalNot").Input(y).Expect(MakeTensor<bool>({2}, {1, 0})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
