#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Identity, GivesItsInput) {
  for (const char* op : {"Identity", "StopGradient", "PreventGradient"}) {
#define CASE(T) \
  OpTest(op).Input(MakeTensor<T>({2}, {1, 2})).Expect(MakeTensor<T>({2}, {1, 2})).Run();
    TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
    OpTest(op).Input(MakeTensor<bool>({}, {1})).Expect(MakeTensor<bool>({}, {1})).Run();
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
