#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What comes out is in session/datasets_test.cc, as functions are a session's.
TEST(ParallelInterleaveDataset, NeedsFunctions) {
  const auto test = [](const char* op, int ints, bool sloppy) {
    OpTest made = DatasetOpTest(op).Input(RangeOf(3)).Input(Int(2)).Input(Int(1));
    if (sloppy) made.Input(Tensor::Scalar<bool>(false));
    for (int i = 0; i < ints; ++i) made.Input(Int(1));
    made.Attr("f", SomeFunction()).Attr("Targuments", std::vector<DType>())
        .RunExpectingError(Code::kUnimplemented, kNoFunctions);
  };
  test("ParallelInterleaveDatasetV2", 1, false);
  test("ParallelInterleaveDatasetV4", 3, false);
  test("LegacyParallelInterleaveDatasetV2", 2, false);
  test("ParallelInterleaveDataset", 2, true);
  test("ExperimentalParallelInterleaveDataset", 2, true);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
