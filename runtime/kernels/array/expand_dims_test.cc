#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(ExpandDims, PutsInADimension) {
  const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto expand = [&x](int32_t axis, const Shape& shape) {
    OpTest("ExpandDims").Input(x).Input(Tensor::Scalar(axis))
        .Expect(MakeTensor<float>(shape, {1, 2, 3, 4, 5, 6})).Run();
  };
  expand(0, {1, 2, 3});
  expand(1, {2, 1, 3});
  expand(2, {2, 3, 1});
  expand(-1, {2, 3, 1});
  expand(-3, {1, 2, 3});
}

TEST(ExpandDims, RejectsAnAxisOutOfRange) {
  for (const int32_t axis : {3, -4}) {
    OpTest("ExpandDims").Input(MakeTensor<float>({1, 2}, {1, 2})).Input(Tensor::Scalar(axis))
        .RunExpectingError(Code::kInvalidArgument, "Tried to expand dim index");
  }
}

TEST(Squeeze, TakesOutDimensions) {
  const Tensor x = MakeTensor<int32_t>({1, 2, 1}, {1, 2});
  OpTest("Squeeze").Input(x).Expect(MakeTensor<int32_t>({2}, {1, 2})).Run();
  OpTest("Squeeze").Input(x).Attr("squeeze_dims", std::vector<int64_t>{-1})
      .Expect(MakeTensor<int32_t>({1, 2}, {1, 2})).Run();
}

TEST(Squeeze, Rejects) {
  const Tensor x = MakeTensor<int32_t>({1, 2}, {1, 2});
  OpTest("Squeeze").Input(x).Attr("squeeze_dims", std::vector<int64_t>{1})
      .RunExpectingError(Code::kInvalidArgument, "Can not squeeze dim[1]");
  OpTest("Squeeze").Input(x).Attr("squeeze_dims", std::vector<int64_t>{2})
      .RunExpectingError(Code::kInvalidArgument, "out of range");
}

TEST(Squeeze, InfersShapes) {
  InferShape all("Squeeze");
  EXPECT_EQ(*all.Input(DType::kFloat, {-1, 1}).Infer(), PartialShape());
  InferShape one("Squeeze");
  one.Input(DType::kFloat, {-1, 1}).Attr("squeeze_dims", std::vector<int64_t>{1});
  EXPECT_EQ(*one.Infer(), PartialShape({-1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
