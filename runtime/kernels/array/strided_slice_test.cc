#include "testing/infer_shape.h"
#include "testing/op_test.h"
#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

struct Slice {
  std::vector<int32_t> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};

template <typename Test>
void SetMasks(const Slice& slice, Test* test) {
  test->Attr("begin_mask", slice.begin_mask).Attr("end_mask", slice.end_mask)
      .Attr("ellipsis_mask", slice.ellipsis_mask).Attr("new_axis_mask", slice.new_axis_mask)
      .Attr("shrink_axis_mask", slice.shrink_axis_mask);
}

OpTest Forward(const Tensor& x, const Slice& slice) {
  OpTest test("StridedSlice");
  test.Input(x).Input(Tensor::Vector(slice.begin)).Input(Tensor::Vector(slice.end))
      .Input(Tensor::Vector(slice.strides));
  SetMasks(slice, &test);
  return test;
}

// Numbers from 0: an element is its own position.
Tensor Positions(const Shape& shape) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(static_cast<double>(i));
  return MakeTensor<float>(shape, values);
}

void Check(const Shape& shape, const Slice& slice, const Shape& sliced,
           const std::vector<double>& positions) {
  Forward(Positions(shape), slice).Expect(MakeTensor<float>(sliced, positions)).Run();
  // The gradient of the positions puts each of them back where it came from.
  std::vector<double> back(static_cast<size_t>(shape.num_elements()), 0);
  for (const double position : positions) back[static_cast<size_t>(position)] = position;
  std::vector<int32_t> dims;
  for (const int64_t dim : shape.dims()) dims.push_back(static_cast<int32_t>(dim));
  OpTest grad("StridedSliceGrad");
  grad.Input(Tensor::Vector(dims)).Input(Tensor::Vector(slice.begin))
      .Input(Tensor::Vector(slice.end)).Input(Tensor::Vector(slice.strides))
      .Input(MakeTensor<float>(sliced, positions)).Expect(MakeTensor<float>(shape, back));
  SetMasks(slice, &grad);
  grad.Run();
}

TEST(StridedSlice, RangesAndStrides) {
  Check({6}, {{1}, {4}, {1}}, {3}, {1, 2, 3});
  Check({6}, {{0}, {6}, {2}}, {3}, {0, 2, 4});
  Check({6}, {{-1}, {-7}, {-2}}, {3}, {5, 3, 1});
  Check({6}, {{-3}, {100}, {1}}, {3}, {3, 4, 5});
  Check({6}, {{4}, {2}, {1}}, {0}, {});
  Check({3, 4}, {{1, 0}, {3, 4}, {1, 3}}, {2, 2}, {4, 7, 8, 11});
  Check({3, 4}, {{0, 0}, {3, 4}, {1, 1}}, {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST(StridedSlice, Masks) {
  Check({6}, {{3}, {3}, {1}, 1}, {3}, {0, 1, 2});              // x[:3]
  Check({6}, {{4}, {0}, {1}, 0, 1}, {2}, {4, 5});              // x[4:]
  Check({4}, {{0}, {0}, {-1}, 1, 1}, {4}, {3, 2, 1, 0});       // x[::-1]
  Check({2, 3}, {{1}, {2}, {1}, 0, 0, 0, 0, 1}, {3}, {3, 4, 5});           // x[1]
  Check({2, 3}, {{0, -1}, {0, 0}, {1, 1}, 1, 1, 0, 0, 2}, {2}, {2, 5});    // x[:, -1]
  Check({2, 3}, {{0, 2}, {0, 3}, {1, 1}, 0, 0, 1, 0, 2}, {2}, {2, 5});     // x[..., 2]
  Check({2, 3}, {{0, 0}, {0, 0}, {1, 1}, 2, 2, 0, 1}, {1, 2, 3}, {0, 1, 2, 3, 4, 5});  // new axis
  Check({2, 2, 2}, {{1, 0, 0}, {2, 0, 1}, {1, 1, 1}, 0, 0, 2, 0, 5}, {2}, {4, 6});  // x[1, ..., 0]
}

TEST(StridedSlice, EveryElementSize) {
#define CASE(T)                                                                   \
  Forward(MakeTensor<T>({4}, {1, 2, 3, 4}), {{3}, {0}, {-2}})                     \
      .Expect(MakeTensor<T>({2}, {4, 2})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(StridedSlice, Rejects) {
  const auto fails = [](const Slice& slice, const std::string& part) {
    Forward(Positions({3}), slice).RunExpectingError(Code::kInvalidArgument, part);
  };
  fails({{5}, {6}, {1}, 0, 0, 0, 0, 1}, "slice index 5 of dimension 0 out of bounds");
  fails({{0}, {1}, {0}}, "must be non-zero");
  fails({{0}, {1}, {-1}, 0, 0, 0, 0, 1}, "only stride 1");
  fails({{0, 0}, {1, 1}, {1, 1}}, "only 1 dims");
  fails({{0, 0}, {1, 1}, {1, 1}, 0, 0, 3}, "Multiple ellipses");
  fails({{0}, {1, 2}, {1}}, "one length");
}

TEST(StridedSlice, ExtremeNumbers) {
  constexpr int32_t kMost = 2147483647;
  Check({3}, {{-kMost - 1}, {kMost}, {kMost}}, {1}, {0});
  Check({3}, {{kMost}, {-kMost - 1}, {-kMost - 1}}, {1}, {2});
}

TEST(StridedSlice, InfersShapes) {
  InferShape test("StridedSlice");
  const Slice slice{{0, 0, 1}, {0, 1, 3}, {1, 1, 1}, 1, 1, 0, 0, 2};
  test.Input(DType::kFloat, {-1, 4, 5}).Input(Tensor::Vector(slice.begin))
      .Input(Tensor::Vector(slice.end)).Input(Tensor::Vector(slice.strides));
  SetMasks(slice, &test);
  EXPECT_EQ(*test.Infer(), PartialShape({-1, 2}));
}

TEST(StridedSlice, InfersTheRankOfUnknownBounds) {
  InferShape test("StridedSlice");
  const Slice slice{{}, {}, {1, 1, 1}, 2, 2, 0, 0, 1};
  test.Input(DType::kFloat, {6, 4, 5}).Input(DType::kInt32, {3}).Input(DType::kInt32, {3})
      .Input(Tensor::Vector(slice.strides));
  SetMasks(slice, &test);
  EXPECT_EQ(*test.Infer(), PartialShape({4, -1}));
}

VariableOpTest Assign(const std::vector<int32_t>& end, const Tensor& value) {
  VariableOpTest test("StridedSliceAssign");
  test.Variable(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  test.Input(Tensor::Vector<int32_t>({1, 0})).Input(Tensor::Vector(end));
  test.Input(Tensor::Vector<int32_t>({1, 2})).Input(value).Attr("shrink_axis_mask", int64_t{1});
  return test;
}

TEST(StridedSliceAssign, ChangesTheSlice) {
  Assign({2, 3}, MakeTensor<float>({2}, {8, 9}))
      .ExpectVariable(MakeTensor<float>({2, 3}, {1, 2, 3, 8, 5, 9}))
      .Run();
}

TEST(StridedSliceAssign, RejectsAnotherShape) {
  Assign({2, 3}, MakeTensor<float>({3}, {7, 8, 9}))
      .RunExpectingError(Code::kInvalidArgument, "the slice has shape [2]");
}

TEST(StridedSliceGrad, RejectsAnotherShape) {
  const Tensor one = Tensor::Vector<int32_t>({1});
  OpTest("StridedSliceGrad").Input(Tensor::Vector<int32_t>({3})).Input(one)
      .Input(Tensor::Vector<int32_t>({3})).Input(one).Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "shape of dy was [1] instead of [2]");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
