#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(NoOp, RunsAndGivesNothing) {
  const Result<std::vector<Tensor>> outputs = OpTest("NoOp").RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->size(), size_t{0});
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
