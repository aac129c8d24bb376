#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(TensorSummaryV2, HoldsTensorAndMetadata) {
  const std::string summary("\n\x12\n\x01tB\x0a\x08\x03\x12\0\"\x04\x03\0\0\0J\x01m", 20);
  OpTest("TensorSummaryV2")
      .Input(Tensor::Strings({}, {"t"}))
      .Input(MakeTensor<int32_t>({}, {3}))
      .Input(Tensor::Strings({}, {"m"}))
      .Expect(Tensor::Strings({}, {summary}))
      .Run();
  OpTest("TensorSummaryV2")
      .Input(Tensor::Strings({}, {"t"}))
      .Input(MakeTensor<int32_t>({}, {3}))
      .Input(Tensor::Strings({1}, {"m"}))
      .RunExpectingError(Code::kInvalidArgument, "must be a scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
