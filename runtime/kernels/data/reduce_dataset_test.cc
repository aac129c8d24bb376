#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What comes out of ReduceDataset is in session/datasets_test.cc, as functions are a session's.
TEST(ReduceDataset, NeedsFunctions) {
  DatasetOpTest("ReduceDataset").Input(RangeOf(3)).Input(Int(0)).Attr("f", SomeFunction())
      .Attr("Tstate", std::vector<DType>{DType::kInt64}).Attr("Targuments", std::vector<DType>())
      .RunExpectingError(Code::kUnimplemented, kNoFunctions);
}

TEST(ReduceDataset, OneElementAndHowMany) {
  DatasetOpTest("DatasetToSingleElement").Input(RangeOf(1)).Expect(Int(0)).Run();
  DatasetOpTest("DatasetToSingleElement").Input(RangeOf(0))
      .RunExpectingError(Code::kInvalidArgument, "Dataset was empty.");
  DatasetOpTest("DatasetToSingleElement").Input(RangeOf(2))
      .RunExpectingError(Code::kInvalidArgument, "more than one element");
  OpTest("DatasetCardinality").Input(RangeOf(12)).Expect(Int(12)).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
