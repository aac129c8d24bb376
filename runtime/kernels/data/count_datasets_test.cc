#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Counted(const std::string& op, const Tensor& input, int64_t count) {
  return DatasetOf(DatasetOpTest(op).Input(input).Input(Int(count)));
}

TEST(CountDatasets, RepeatsTakesAndSkips) {
  EXPECT_EQ(Numbers(Counted("RepeatDataset", RangeOf(2), 3)), "0 1 0 1 0 1");
  EXPECT_EQ(Numbers(Counted("RepeatDataset", RangeOf(2), 0)), "");
  EXPECT_EQ(Numbers(Counted("RepeatDataset", RangeOf(2), -1), 5), "0 1 0 1 0");
  EXPECT_EQ(Numbers(Counted("RepeatDataset", RangeOf(0), -1)), "");
  EXPECT_EQ(Numbers(Counted("TakeDataset", RangeOf(5), 2)), "0 1");
  EXPECT_EQ(Numbers(Counted("TakeDataset", RangeOf(2), -1)), "0 1");
  EXPECT_EQ(Numbers(Counted("SkipDataset", RangeOf(5), 3)), "3 4");
  EXPECT_EQ(Numbers(Counted("SkipDataset", RangeOf(5), -1)), "");
  EXPECT_EQ(CardinalityOf(Counted("RepeatDataset", RangeOf(2), 3)), 6);
  EXPECT_EQ(CardinalityOf(Counted("RepeatDataset", RangeOf(2), -1)), kInfinite);
  EXPECT_EQ(CardinalityOf(Counted("TakeDataset", RangeOf(5), 9)), 5);
  DatasetOpTest("TakeDataset").Input(Tensor::Scalar<Variant>(nullptr)).Input(Int(1))
      .RunExpectingError(Code::kInvalidArgument, "no dataset");
}

TEST(CountDatasets, ShardsAreDisjoint) {
  const auto shard = [](int64_t shards, int64_t index) {
    return DatasetOpTest("ShardDataset").Input(RangeOf(7)).Input(Int(shards)).Input(Int(index));
  };
  EXPECT_EQ(Numbers(DatasetOf(shard(3, 0))), "0 3 6");
  EXPECT_EQ(Numbers(DatasetOf(shard(3, 2))), "2 5");
  EXPECT_EQ(CardinalityOf(DatasetOf(shard(3, 0))), 3);
  shard(0, 0).RunExpectingError(Code::kInvalidArgument, "greater than zero");
  shard(3, 3).RunExpectingError(Code::kInvalidArgument, "between 0 and 2");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
