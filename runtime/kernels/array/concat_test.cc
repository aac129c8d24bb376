#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Axis(int32_t axis) { return Tensor::Scalar(axis); }

TEST(Concat, AllTypes) {
#define CASE(T)                                                                    \
  OpTest("ConcatV2").Input(MakeTensor<T>({1, 2}, {1, 2}))                          \
      .Input(MakeTensor<T>({2, 2}, {3, 4, 5, 6})).Input(Axis(0))                   \
      .Expect(MakeTensor<T>({3, 2}, {1, 2, 3, 4, 5, 6})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Concat, AlongTheLastAxis) {
  OpTest("ConcatV2").Input(MakeTensor<float>({2, 1}, {1, 2}))
      .Input(MakeTensor<float>({2, 0}, {})).Input(MakeTensor<float>({2, 3}, {3, 4, 5, 6, 7, 8}))
      .Input(Axis(-1)).Expect(MakeTensor<float>({2, 4}, {1, 3, 4, 5, 2, 6, 7, 8})).Run();
}

TEST(Concat, InTheMiddle) {
  OpTest("ConcatV2").Input(MakeTensor<int64_t>({2, 1, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<int64_t>({2, 2, 2}, {5, 6, 7, 8, 9, 10, 11, 12})).Input(Axis(1))
      .Expect(MakeTensor<int64_t>({2, 3, 2}, {1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12})).Run();
}

TEST(Concat, Rejects) {
  const Tensor x = MakeTensor<float>({1, 2}, {1, 2});
  const auto fails = [&x](const Tensor& y, int32_t axis, const std::string& part) {
    OpTest("ConcatV2").Input(x).Input(y).Input(Axis(axis))
        .RunExpectingError(Code::kInvalidArgument, part);
  };
  fails(MakeTensor<float>({1, 3}, {1, 2, 3}), 0, "incompatible");
  fails(MakeTensor<float>({2}, {1, 2}), 0, "incompatible");
  fails(x, 2, "out of range");
  fails(Tensor::Scalar(1.0f), 0, "out of range");
}

TEST(Concat, InfersShapes) {
  InferShape known("ConcatV2");
  known.Input(DType::kFloat, {-1, 2, 3}).Input(DType::kFloat, {4, -1, 3}).Input(Axis(1));
  EXPECT_EQ(*known.Infer(), PartialShape({4, -1, 3}));
  InferShape sum("ConcatV2");
  sum.Input(DType::kFloat, {-1, 2}).Input(DType::kFloat, {-1, 5}).Input(Axis(-1));
  EXPECT_EQ(*sum.Infer(), PartialShape({-1, 7}));
  InferShape unknown("ConcatV2");
  unknown.Input(DType::kFloat, {1, 2}).Input(DType::kFloat, {1, 2}).Input(DType::kInt32, Shape{});
  EXPECT_EQ(*unknown.Infer(), PartialShape({-1, -1}));
}

TEST(ConcatOffset, SaysWhereEachBegins) {
  OpTest("ConcatOffset").Input(Axis(1)).Input(Tensor::Vector<int32_t>({2, 3}))
      .Input(Tensor::Vector<int32_t>({2, 4})).Input(Tensor::Vector<int32_t>({2, 5}))
      .Expect(Tensor::Vector<int32_t>({0, 0})).Expect(Tensor::Vector<int32_t>({0, 3}))
      .Expect(Tensor::Vector<int32_t>({0, 7})).Run();
}

TEST(ConcatOffset, RejectsShapesThatDiffer) {
  OpTest("ConcatOffset").Input(Axis(1)).Input(Tensor::Vector<int32_t>({2, 3}))
      .Input(Tensor::Vector<int32_t>({3, 4}))
      .RunExpectingError(Code::kInvalidArgument, "All dimensions except 1 must match");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
