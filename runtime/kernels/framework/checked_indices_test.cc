#include "kernels/framework/checked_indices.h"

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(CheckedNdSlices, BeginWhereTheirCoordinatesSay) {
  const auto slices = CheckedNdSlices(MakeTensor<int32_t>({2, 1}, {2, 0}), Shape{3, 4});
  ASSERT_OK(slices);
  EXPECT_EQ(slices->count, 2);
  EXPECT_EQ(slices->width, 4);
  EXPECT_EQ(slices->start(0), 8);
  EXPECT_EQ(slices->start(1), 0);
}

TEST(CheckedNdSlices, OutsideAreLeftOutWhereTheyAreIgnored) {
  const Tensor indices = MakeTensor<int32_t>({3, 2}, {0, 4, 1, 2, -1, 0});
  const auto slices = CheckedNdSlices(indices, Shape{2, 4}, BadIndices::kIgnore);
  ASSERT_OK(slices);
  EXPECT_EQ(slices->start(0), kIgnoredSlice);
  EXPECT_EQ(slices->start(1), 6);
  EXPECT_EQ(slices->start(2), kIgnoredSlice);
  EXPECT_ERROR(CheckedNdSlices(indices, Shape{2, 4}), Code::kInvalidArgument,
               "indices[0] = [0, 4] does not index");
  EXPECT_ERROR(CheckedNdSlices(indices, Shape{0, 4}, BadIndices::kIgnore), Code::kInvalidArgument,
               "does not index");
}

// So many that a note on each would not fit into memory.
TEST(CheckedNdSlices, OfNoCoordinatesTakeNoMemory) {
  const int64_t many = int64_t{1} << 39;
  const auto slices = CheckedNdSlices(MakeTensor<int32_t>({many, 0}, {}), Shape{2});
  ASSERT_OK(slices);
  EXPECT_EQ(slices->count, many);
  EXPECT_EQ(slices->start(many - 1), 0);
  EXPECT_TRUE(slices->starts.empty());
}

TEST(CheckedNdSlices, OfNothingAreNone) {
  const int64_t many = int64_t{1} << 39;
  const auto slices = CheckedNdSlices(MakeTensor<int32_t>({many, 0}, {}), Shape{0});
  ASSERT_OK(slices);
  EXPECT_EQ(slices->count, 0);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
