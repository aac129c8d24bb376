#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(IdentityN, GivesItsInputs) {
  OpTest("IdentityN")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(Tensor::Scalar<int64_t>(3))
      .Attr("T", std::vector<DType>{DType::kFloat, DType::kInt64})
      .Expect(MakeTensor<float>({2}, {1, 2}))
      .Expect(Tensor::Scalar<int64_t>(3))
      .Run();
}

TEST(IdentityN, RejectsNothing) {
  OpTest("IdentityN").Attr("T", std::vector<DType>{}).RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
