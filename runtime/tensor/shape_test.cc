#include "tensor/shape.h"

#include "testing/test.h"

namespace tfbuild {
namespace {

TEST(Shape, RefusesWhatWouldOverflow) {
  EXPECT_ERROR(Shape::Make({int64_t{1} << 40, 2}), Code::kInvalidArgument, "too many elements");
  EXPECT_ERROR(Shape::Make({-1}), Code::kInvalidArgument, "negative");
  EXPECT_ERROR(Shape::Make(std::vector<int64_t>(255, 1)), Code::kInvalidArgument, "255");
  EXPECT_EQ(Shape::Make({int64_t{1} << 40, 0, int64_t{1} << 40})->num_elements(), 0);
}

TEST(Shape, KeepsMoreDimensionsThanLieInTheObject) {
  const Shape few{2, 3};
  const Shape many{1, 2, 3, 4, 5, 6, 7};
  Shape copy = many;
  EXPECT_TRUE(copy == many && copy != few);
  copy = few;
  EXPECT_TRUE(copy == few);
  copy = Shape(many);
  const Shape moved = std::move(copy);
  EXPECT_EQ(moved.ToString(), "[1,2,3,4,5,6,7]");
  EXPECT_EQ(moved.dim(6), 7);
  EXPECT_EQ(many.num_elements(), 5040);
  const std::vector<int64_t> dims = many.dims();
  EXPECT_EQ(dims.size(), 7u);
}

TEST(PartialShape, MergesWhatIsKnown) {
  const PartialShape merged = *PartialShape({kUnknownDim, 3}).MergeWith(PartialShape({2, kUnknownDim}));
  EXPECT_EQ(merged.ToString(), "[2,3]");
  EXPECT_EQ(PartialShape().MergeWith(merged)->ToString(), "[2,3]");
  EXPECT_ERROR(merged.MergeWith(PartialShape({2, 4})), Code::kInvalidArgument, "incompatible");
  EXPECT_ERROR(merged.MergeWith(PartialShape({2})), Code::kInvalidArgument, "incompatible");
}

TEST(BroadcastShapes, FollowsNumPy) {
  EXPECT_EQ(BroadcastShapes(Shape{3, 1}, Shape{4})->ToString(), "[3,4]");
  EXPECT_EQ(BroadcastShapes(Shape{0, 1}, Shape{1, 5})->ToString(), "[0,5]");
  EXPECT_EQ(BroadcastShapes(Shape{}, Shape{2})->ToString(), "[2]");
  EXPECT_ERROR(BroadcastShapes(Shape{3}, Shape{2}), Code::kInvalidArgument, "broadcast");
  EXPECT_ERROR(BroadcastShapes(Shape{0}, Shape{2}), Code::kInvalidArgument, "broadcast");
}

TEST(BroadcastShapes, KeepsUnknownDimensionsUnknown) {
  const PartialShape a({kUnknownDim, kUnknownDim, 3});
  const PartialShape b({1, 5, kUnknownDim});
  EXPECT_EQ(BroadcastShapes(a, b)->ToString(), "[?,5,3]");
  EXPECT_EQ(BroadcastShapes(b, a)->ToString(), "[?,5,3]");
  EXPECT_TRUE(!BroadcastShapes(PartialShape(), b)->known_rank());
}

}  // namespace
}  // namespace tfbuild
