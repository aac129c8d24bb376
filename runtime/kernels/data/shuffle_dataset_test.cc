#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Shuffled(const std::string& op, int64_t count, int64_t room, int64_t seed, int64_t rounds = 1,
                bool renew = true) {
  OpTest test = DatasetOpTest(op).Input(RangeOf(count)).Input(Int(room)).Input(Int(87654321))
                    .Input(Int(seed)).Attr("reshuffle_each_iteration", renew);
  if (op == "ShuffleAndRepeatDataset") test.Input(Int(rounds));
  return DatasetOf(test);
}

// The order is that of TensorFlow 2.21 for tf.data.Dataset.range(10).shuffle(4, seed=1).
TEST(ShuffleDataset, TheOrderIsThatOfTensorFlow) {
  const Tensor dataset = Shuffled("ShuffleDataset", 10, 4, 1);
  EXPECT_EQ(Numbers(dataset), "0 4 5 1 2 7 9 8 6 3");
  EXPECT_EQ(Numbers(dataset), "2 1 3 4 6 8 7 9 5 0");  // read again
  const Tensor fixed = Shuffled("ShuffleDataset", 10, 4, 1, 1, false);
  EXPECT_EQ(Numbers(fixed), "3 4 0 5 2 7 8 9 1 6");
  EXPECT_EQ(Numbers(fixed), "3 4 0 5 2 7 8 9 1 6");
  EXPECT_EQ(Numbers(Shuffled("ShuffleDataset", 4, 1, 1)), "0 1 2 3");
}

TEST(ShuffleDataset, RoundsDoNotMix) {
  EXPECT_EQ(Numbers(Shuffled("ShuffleAndRepeatDataset", 7, 3, 9, 3)),
            "1 2 0 3 4 5 6 0 3 2 4 5 1 6 1 0 2 4 5 3 6");
  EXPECT_EQ(Numbers(Shuffled("ShuffleAndRepeatDataset", 4, 100, 9, 2)), "0 2 3 1 1 3 2 0");
  EXPECT_EQ(Numbers(Shuffled("ShuffleAndRepeatDataset", 0, 3, 9, -1)), "");
  EXPECT_EQ(ReadAll(Shuffled("ShuffleAndRepeatDataset", 3, 100, 9, -1), 50)->size(), size_t{50});
}

TEST(ShuffleDataset, WithoutSeedsEachDatasetDiffers) {
  const auto any = [] {
    return Numbers(DatasetOf(DatasetOpTest("ShuffleDataset").Input(RangeOf(50)).Input(Int(50))
                                 .Input(Int(0)).Input(Int(0))));
  };
  EXPECT_TRUE(any() != any());
  DatasetOpTest("ShuffleDataset").Input(RangeOf(5)).Input(Int(0)).Input(Int(1)).Input(Int(1))
      .RunExpectingError(Code::kInvalidArgument, "greater than zero");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
