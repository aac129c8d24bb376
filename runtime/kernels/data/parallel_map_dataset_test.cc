#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What comes out is in session/datasets_test.cc, as functions are a session's.
TEST(ParallelMapDataset, NeedsFunctions) {
  const std::vector<DType> none;
  DatasetOpTest("ParallelMapDatasetV2").Input(RangeOf(3)).Input(Int(2)).Attr("f", SomeFunction())
      .Attr("Targuments", none).RunExpectingError(Code::kUnimplemented, kNoFunctions);
  DatasetOpTest("ParallelMapDataset").Input(RangeOf(3)).Input(Tensor::Scalar<int32_t>(2))
      .Attr("f", SomeFunction()).Attr("Targuments", none)
      .RunExpectingError(Code::kUnimplemented, kNoFunctions);
  for (const char* op : {"MapAndBatchDataset", "ExperimentalMapAndBatchDataset"}) {
    DatasetOpTest(op).Input(RangeOf(3)).Input(Int(2)).Input(Int(2))
        .Input(Tensor::Scalar<bool>(false)).Attr("f", SomeFunction()).Attr("Targuments", none)
        .RunExpectingError(Code::kUnimplemented, kNoFunctions);
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
