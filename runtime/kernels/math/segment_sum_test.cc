#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest SegmentSum(const Tensor& data, const Tensor& ids, int32_t segments) {
  OpTest test("UnsortedSegmentSum");
  test.Input(data).Input(ids).Input(Tensor::Scalar(segments));
  return test;
}

TEST(SegmentSum, AllTypes) {
#define CASE(T)                                                                               \
  SegmentSum(MakeTensor<T>({3, 2}, {1, 2, 3, 4, 5, 6}), Tensor::Vector<int32_t>({2, 0, 2}), 4) \
      .Expect(MakeTensor<T>({4, 2}, {3, 4, 0, 0, 6, 8, 0, 0})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(SegmentSum, LeavesOutNegativeIds) {
  SegmentSum(MakeTensor<float>({3}, {1, 2, 4}), Tensor::Vector<int64_t>({0, -5, 0}), 2)
      .Expect(MakeTensor<float>({2}, {5, 0})).Run();
}

TEST(SegmentSum, IdsOfHigherRankAndNothing) {
  SegmentSum(MakeTensor<int32_t>({2, 2}, {1, 2, 3, 4}), MakeTensor<int32_t>({2, 2}, {1, 0, 1, 1}),
             2).Expect(MakeTensor<int32_t>({2}, {2, 8})).Run();
  SegmentSum(MakeTensor<float>({0, 2}, {}), Tensor::Vector<int32_t>({}), 1)
      .Expect(MakeTensor<float>({1, 2}, {0, 0})).Run();
  SegmentSum(MakeTensor<float>({1}, {1}), Tensor::Vector<int32_t>({-1}), 0)
      .Expect(MakeTensor<float>({0}, {})).Run();
}

TEST(SegmentSum, AddsHalvesInFloat) {
  const Tensor ones = MakeTensor<Half>({8192}, std::vector<double>(8192, 1.0));
  const Tensor ids = MakeTensor<int32_t>({8192}, std::vector<double>(8192, 0.0));
  SegmentSum(ones, ids, 1).Expect(MakeTensor<Half>({1}, {8192})).Run();
}

TEST(SegmentSum, Rejects) {
  const Tensor data = MakeTensor<float>({2}, {1, 2});
  SegmentSum(data, Tensor::Vector<int32_t>({0, 5}), 2)
      .RunExpectingError(Code::kInvalidArgument, "segment_ids[1] = 5 is out of range [0, 2)");
  SegmentSum(data, Tensor::Vector<int32_t>({0, 0}), 0)
      .RunExpectingError(Code::kInvalidArgument, "= 0 is out of range [0, 0)");
  SegmentSum(data, Tensor::Vector<int32_t>({0}), 2)
      .RunExpectingError(Code::kInvalidArgument, "incompatible");
  SegmentSum(data, MakeTensor<int32_t>({2, 1}, {0, 0}), 2)
      .RunExpectingError(Code::kInvalidArgument, "must begin the shape");
  SegmentSum(data, Tensor::Vector<int32_t>({0, 0}), -1)
      .RunExpectingError(Code::kInvalidArgument, "negative");
}

TEST(SegmentSum, InfersShapes) {
  InferShape test("UnsortedSegmentSum");
  test.Input(DType::kFloat, {-1, 3}).Input(DType::kInt32, {7}).Input(Tensor::Scalar<int32_t>(4));
  EXPECT_EQ(*test.Infer(), PartialShape({4, 3}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
