#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What functions make of elements is in session/datasets_test.cc, as functions are a session's.
TEST(FunctionDatasets, NeedFunctions) {
  const std::vector<DType> none;
  DatasetOpTest("MapDataset").Input(RangeOf(3)).Attr("f", SomeFunction()).Attr("Targuments", none)
      .RunExpectingError(Code::kUnimplemented, kNoFunctions);
  for (const char* op : {"FilterDataset", "TakeWhileDataset"}) {
    DatasetOpTest(op).Input(RangeOf(3)).Attr("predicate", SomeFunction()).Attr("Targuments", none)
        .RunExpectingError(Code::kUnimplemented, kNoFunctions);
  }
  DatasetOpTest("ScanDataset").Input(RangeOf(3)).Input(Int(0)).Attr("f", SomeFunction())
      .Attr("Tstate", std::vector<DType>{DType::kInt64}).Attr("Targuments", none)
      .RunExpectingError(Code::kUnimplemented, kNoFunctions);
  DatasetOpTest("MapDataset").Input(Tensor::Scalar<Variant>(nullptr)).Attr("f", SomeFunction())
      .Attr("Targuments", none).RunExpectingError(Code::kInvalidArgument, "no dataset");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
