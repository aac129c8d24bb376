// Expected numbers are TensorFlow's.
#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(SpaceToBatchNd, Padded) {
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({2}, {2, 3}))
      .Input(MakeTensor<int32_t>({2, 2}, {1, 1, 2, 1}))
      .Expect(MakeTensor<float>({6, 2, 2, 2}, {0, 0, 0, 0, 0, 0, 9, 10, 0, 0, 0, 0, 0, 0, 11, 12,
          0, 0, 0, 0, 7, 8, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 1, 2, 0, 0, 0,
          0, 0, 0}))
      .Run();
}

TEST(SpaceToBatchNd, OneDirection) {
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<int32_t>({2, 3}, {0, 1, 2, 3, 4, 5}))
      .Input(MakeTensor<int64_t>({1}, {2}))
      .Input(MakeTensor<int64_t>({1, 2}, {0, 1}))
      .Expect(MakeTensor<int32_t>({4, 2}, {0, 2, 3, 5, 1, 0, 4, 0}))
      .Run();
}

TEST(SpaceToBatchNd, Bool) {
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<bool>({1, 2}, {1, 1}))
      .Input(MakeTensor<int32_t>({1}, {2}))
      .Input(MakeTensor<int32_t>({1, 2}, {1, 1}))
      .Expect(MakeTensor<bool>({2, 2}, {0, 1, 1, 0}))
      .Run();
}

TEST(BatchToSpaceNd, Cropped) {
  OpTest("BatchToSpaceND")
      .Input(MakeTensor<float>({6, 2, 2, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
          15, 16, 17, 18, 19, 20, 21, 22, 23}))
      .Input(MakeTensor<int32_t>({2}, {2, 3}))
      .Input(MakeTensor<int32_t>({2, 2}, {1, 1, 2, 1}))
      .Expect(MakeTensor<float>({1, 2, 3, 1}, {20, 13, 17, 10, 3, 7}))
      .Run();
}

TEST(BatchToSpaceNd, Half) {
  OpTest("BatchToSpaceND")
      .Input(MakeTensor<Half>({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}))
      .Input(MakeTensor<int32_t>({1}, {2}))
      .Input(MakeTensor<int32_t>({1, 2}, {0, 1}))
      .Expect(MakeTensor<Half>({2, 3}, {0, 4, 1, 2, 6, 3}))
      .Run();
}

TEST(SpaceToBatch, Images) {
  OpTest("SpaceToBatch")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({2, 2}, {0, 0, 1, 0}))
      .Attr("block_size", int64_t{2})
      .Expect(MakeTensor<float>({4, 1, 2, 2}, {0, 0, 3, 4, 1, 2, 5, 6, 0, 0, 9, 10, 7, 8, 11, 12}))
      .Run();
}

TEST(BatchToSpace, Images) {
  OpTest("BatchToSpace")
      .Input(MakeTensor<float>({4, 1, 2, 1}, {0, 1, 2, 3, 4, 5, 6, 7}))
      .Input(MakeTensor<int32_t>({2, 2}, {0, 0, 1, 0}))
      .Attr("block_size", int64_t{2})
      .Expect(MakeTensor<float>({1, 2, 3, 1}, {2, 1, 3, 6, 5, 7}))
      .Run();
}

TEST(SpaceToBatchNd, Malformed) {
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({2}, {2, 2}))
      .Input(MakeTensor<int32_t>({2, 2}, {0, 0, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "divisible");
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({2}, {0, 2}))
      .Input(MakeTensor<int32_t>({2, 2}, {0, 0, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "positive");
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int64_t>({2}, {8589934592, 8589934592}))
      .Input(MakeTensor<int32_t>({2, 2}, {0, 0, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "2^31");
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({2}, {2, 3}))
      .Input(MakeTensor<int32_t>({2, 2}, {-1, 1, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "non-negative");
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({2}, {2, 3}))
      .Input(MakeTensor<int64_t>({2, 2}, {4611686018427387904, 4611686018427387904, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "too large");
  OpTest("SpaceToBatchND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({2}, {2, 3}))
      .Input(MakeTensor<int32_t>({1, 2}, {0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "paddings");
}

TEST(BatchToSpaceNd, Malformed) {
  OpTest("BatchToSpaceND")
      .Input(MakeTensor<float>({1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(MakeTensor<int32_t>({1}, {2}))
      .Input(MakeTensor<int32_t>({1, 2}, {0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "not divisible");
  OpTest("BatchToSpaceND")
      .Input(MakeTensor<float>({2, 2}, {0, 0, 0, 0}))
      .Input(MakeTensor<int32_t>({1}, {2}))
      .Input(MakeTensor<int32_t>({1, 2}, {3, 3}))
      .RunExpectingError(Code::kInvalidArgument, "negative");
}

// Shapes are TensorFlow's.
TEST(SpaceToBatchNd, WhatOfAShapeIsKnown) {
  const PartialShape images({8, 4, 6, 3}), borders({2, 2});
  const Tensor blocks = MakeTensor<int32_t>({2}, {2, 2});
  InferShape to_batch("SpaceToBatchND"), to_space("BatchToSpaceND"), of_images("BatchToSpace");
  to_batch.Input(DType::kFloat, images).Input(blocks).Input(DType::kInt32, borders);
  EXPECT_EQ(*to_batch.Infer(), PartialShape({32, -1, -1, 3}));
  to_space.Input(DType::kFloat, images).Input(blocks).Input(DType::kInt32, borders);
  EXPECT_EQ(*to_space.Infer(), PartialShape({2, -1, -1, 3}));
  of_images.Input(DType::kFloat, images).Input(DType::kInt32, borders);
  of_images.Attr("block_size", int64_t{2});
  EXPECT_EQ(*of_images.Infer(), PartialShape({2, -1, -1, 3}));
  InferShape two("BatchToSpaceND"), some("SpaceToBatchND");
  two.Input(DType::kFloat, images).Input(DType::kInt32, {2});
  two.Input(MakeTensor<int32_t>({2, 2}, {0, 0, 0, 0}));
  EXPECT_EQ(*two.Infer(), PartialShape({-1, -1, -1, 3}));
  some.Input(DType::kFloat, images).Input(DType::kInt32, {-1}).Input(DType::kInt32, borders);
  EXPECT_EQ(*some.Infer(), PartialShape({-1, -1, -1, -1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
