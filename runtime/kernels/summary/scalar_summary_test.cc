#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(ScalarSummary, HasTagsAndNumbers) {
  OpTest("ScalarSummary")
      .Input(Tensor::Strings({}, {"a"}))
      .Input(MakeTensor<double>({}, {1.5}))
      .Expect(Tensor::Strings({}, {std::string("\n\x08\n\x01" "a\x15\0\0\xc0\x3f", 10)}))
      .Run();
  OpTest("ScalarSummary")
      .Input(Tensor::Strings({}, {"a"}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "not the same shape: [] != [2] (tag 'a')");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
