#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Stack, LivesInAStep) {
  OpTest("StackV2").Input(Tensor::Scalar<int32_t>(-1)).Attr("elem_type", DType::kFloat)
      .RunExpectingError(Code::kFailedPrecondition, "step");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
