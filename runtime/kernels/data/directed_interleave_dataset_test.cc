#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Directed(const Tensor& selector) {
  return DatasetOpTest("DirectedInterleaveDataset").Input(selector).Input(RangeOf(2)).Input(RangeOf(5))
      .Attr("N", int64_t{2});
}

TEST(DirectedInterleaveDataset, TakesWhatIsSelectedUntilAllHaveEnded) {
  const Tensor both = DatasetOf(DatasetOpTest("ConcatenateDataset").Input(RangeOf(2)).Input(RangeOf(2)));
  EXPECT_EQ(Numbers(DatasetOf(Directed(both))), "0 0 1 1");
  const Tensor more = DatasetOf(DatasetOpTest("ConcatenateDataset").Input(both).Input(both));
  EXPECT_EQ(Numbers(DatasetOf(Directed(more))), "0 0 1 1 2 3");
  EXPECT_EQ(Numbers(DatasetOf(Directed(more).Attr("stop_on_empty_dataset", true))), "0 0 1 1");
}

TEST(DirectedInterleaveDataset, RefusesNumbersOfNoDataset) {
  EXPECT_EQ(Numbers(DatasetOf(Directed(RangeOf(3)))), "Selector index out of range: 2 >= 2");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
