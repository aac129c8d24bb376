#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Batched(const Tensor& input, int64_t size, bool drop) {
  return DatasetOpTest("BatchDatasetV2").Input(input).Input(Int(size))
      .Input(Tensor::Scalar<bool>(drop));
}

TEST(BatchDataset, StacksElements) {
  const auto batches = ReadAll(DatasetOf(Batched(RangeOf(5), 2, false)));
  ASSERT_OK(batches);
  EXPECT_EQ(batches->size(), size_t{3});
  ExpectClose((*batches)[1][0], MakeTensor<int64_t>({2}, {2, 3}), Ulps(0));
  EXPECT_EQ((*batches)[2][0].shape(), (Shape{1}));
  EXPECT_EQ(Numbers(DatasetOf(Batched(RangeOf(5), 2, true))), "0 1 2 3");
  EXPECT_EQ(CardinalityOf(DatasetOf(Batched(RangeOf(5), 2, true))), 2);
  EXPECT_EQ(Numbers(DatasetOf(Batched(RangeOf(2), int64_t{1} << 60, false))), "0 1");
  Batched(RangeOf(5), 0, false).RunExpectingError(Code::kInvalidArgument, "greater than zero");
}

TEST(BatchDataset, TheOtherVersionsDoTheSame) {
  EXPECT_EQ(Numbers(DatasetOf(DatasetOpTest("BatchDataset").Input(RangeOf(3)).Input(Int(2)))),
            "0 1 2");
  EXPECT_EQ(Numbers(DatasetOf(DatasetOpTest("ParallelBatchDataset").Input(RangeOf(3)).Input(Int(2))
                                  .Input(Int(4)).Input(Tensor::Scalar<bool>(true)))),
            "0 1");
}

TEST(BatchDataset, UnbatchSplitsRows) {
  const Tensor batched = DatasetOf(Batched(RangeOf(5), 2, false));
  for (const char* op : {"UnbatchDataset", "ExperimentalUnbatchDataset"}) {
    EXPECT_EQ(Numbers(DatasetOf(DatasetOpTest(op).Input(batched))), "0 1 2 3 4");
  }
  EXPECT_ERROR(ReadAll(DatasetOf(DatasetOpTest("UnbatchDataset").Input(RangeOf(2)))),
               Code::kInvalidArgument, "non-scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
