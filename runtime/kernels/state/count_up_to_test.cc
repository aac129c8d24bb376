#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(CountUpTo, AddsOne) {
  VariableOpTest("CountUpTo")
      .Variable(Tensor::Scalar<int32_t>(2))
      .Attr("limit", int64_t{3})
      .ExpectVariable(Tensor::Scalar<int32_t>(3))
      .Run();
  VariableOpTest("CountUpTo")
      .Variable(Tensor::Scalar<int64_t>(-1))
      .Attr("limit", int64_t{3})
      .ExpectVariable(Tensor::Scalar<int64_t>(0))
      .Run();
}

TEST(CountUpTo, EndsAtTheLimit) {
  VariableOpTest("CountUpTo")
      .Variable(Tensor::Scalar<int32_t>(3))
      .Attr("limit", int64_t{3})
      .RunExpectingError(Code::kOutOfRange, "Reached limit of 3");
}

TEST(CountUpTo, NeedsAScalar) {
  VariableOpTest("CountUpTo")
      .Variable(MakeTensor<int32_t>({1}, {0}))
      .Attr("limit", int64_t{3})
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
