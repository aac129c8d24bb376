#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const std::string kOne("\n\x03\n\x01" "a", 5);
const std::string kTwo("\n\x03\n\x01" "b", 5);

TEST(MergeSummary, HasAllValues) {
  OpTest("MergeSummary")
      .Input(Tensor::Strings({}, {kOne}))
      .Input(Tensor::Strings({2}, {kTwo, ""}))
      .Expect(Tensor::Strings({}, {kOne + kTwo}))
      .Run();
}

TEST(MergeSummary, RefusesATagThatComesTwiceAndOtherBytes) {
  OpTest("MergeSummary").Input(Tensor::Strings({2}, {kOne, kOne}))
      .RunExpectingError(Code::kInvalidArgument, "Duplicate tag a");
  OpTest("MergeSummary").Input(Tensor::Strings({}, {"\xff"}))
      .RunExpectingError(Code::kInvalidArgument, "Could not parse");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
