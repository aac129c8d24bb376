#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What comes out is in session/datasets_test.cc, as functions are a session's.
TEST(FlatMapDataset, NeedsFunctions) {
  const std::vector<DType> none;
  DatasetOpTest("FlatMapDataset").Input(RangeOf(3)).Attr("f", SomeFunction())
      .Attr("Targuments", none).RunExpectingError(Code::kUnimplemented, kNoFunctions);
  DatasetOpTest("InterleaveDataset").Input(RangeOf(3)).Input(Int(2)).Input(Int(1))
      .Attr("f", SomeFunction()).Attr("Targuments", none)
      .RunExpectingError(Code::kUnimplemented, kNoFunctions);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
