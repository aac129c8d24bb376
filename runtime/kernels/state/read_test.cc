#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Read, GivesWhatItGets) {
  const Tensor value = MakeTensor<float>({2}, {1, 2});
  OpTest("_Read").Input(value).Expect(value).Within(Ulps(0)).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
