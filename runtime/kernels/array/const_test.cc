#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Const, GivesItsValue) {
  const Tensor value = MakeTensor<float>({2}, {1, 2});
  OpTest("Const").Attr("value", value).Attr("dtype", DType::kFloat).Expect(value).Run();
}

TEST(Const, RejectsAValueOfAnotherType) {
  OpTest("Const")
      .Attr("value", MakeTensor<float>({2}, {1, 2}))
      .Attr("dtype", DType::kInt32)
      .RunExpectingError(Code::kInvalidArgument, "value has type float");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
