#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(RandomDataset, HasTensorFlowsWords) {
  const Tensor words = DatasetOf(DatasetOpTest("RandomDataset")
                                     .Input(MakeTensor<int64_t>({}, {0}))
                                     .Input(MakeTensor<int64_t>({}, {4})));
  EXPECT_EQ(CardinalityOf(words), -1);
  EXPECT_EQ(Numbers(words, 3), "4062412553 2400858247 104428176");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
