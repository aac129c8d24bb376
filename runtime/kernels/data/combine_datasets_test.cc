#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(CombineDatasets, ZipsAndConcatenates) {
  const ElementSpec two{{DType::kInt64, DType::kInt64}, {PartialShape({}), PartialShape({})}};
  const Tensor zip = DatasetOf(DatasetOpTest("ZipDataset", two).Input(RangeOf(3)).Input(RangeOf(2))
                                   .Attr("N", int64_t{2}));
  EXPECT_EQ(Words(zip), "0,0;1,1");
  EXPECT_EQ(CardinalityOf(zip), 2);
  const Tensor both =
      DatasetOf(DatasetOpTest("ConcatenateDataset").Input(RangeOf(2)).Input(RangeOf(3)));
  EXPECT_EQ(Numbers(both), "0 1 0 1 2");
  EXPECT_EQ(CardinalityOf(both), 5);
  DatasetOpTest("ConcatenateDataset").Input(RangeOf(2)).Input(zip)
      .RunExpectingError(Code::kInvalidArgument, "different types");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
