#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(WrappingDatasets, ElementsStay) {
  EXPECT_EQ(Numbers(DatasetOf(DatasetOpTest("OptionsDataset").Input(RangeOf(3))
                                  .Attr("serialized_options", std::string()))), "0 1 2");
  EXPECT_EQ(Numbers(DatasetOf(DatasetOpTest("ModelDataset").Input(RangeOf(3)))), "0 1 2");
  EXPECT_EQ(Numbers(DatasetOf(DatasetOpTest("OptimizeDataset").Input(RangeOf(3))
                                  .Input(Tensor::Strings({0}, {})))), "0 1 2");
  DatasetOpTest("ModelDataset").Input(Tensor::Scalar<Variant>(nullptr))
      .RunExpectingError(Code::kInvalidArgument, "no dataset");
}

TEST(WrappingDatasets, ErrorsArePassedOver) {
  // Elements of 2, 2 and 1, of which batches of two have different shapes.
  const Tensor rows = DatasetOf(DatasetOpTest("BatchDataset").Input(RangeOf(5)).Input(Int(2)));
  const Tensor fails = DatasetOf(DatasetOpTest("BatchDataset").Input(
      DatasetOf(DatasetOpTest("SkipDataset").Input(rows).Input(Int(1)))).Input(Int(2)));
  const Tensor more = DatasetOf(DatasetOpTest("ConcatenateDataset").Input(fails).Input(rows));
  EXPECT_ERROR(ReadAll(more), Code::kInvalidArgument, "different shapes");
  for (const char* op : {"IgnoreErrorsDataset", "ExperimentalIgnoreErrorsDataset"}) {
    EXPECT_EQ(Numbers(DatasetOf(DatasetOpTest(op).Input(more))), "0 1 2 3 4");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
