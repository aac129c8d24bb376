#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Split(std::vector<double> sizes, int32_t axis, int64_t pieces) {
  OpTest test("SplitV");
  test.Input(MakeTensor<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .Input(MakeTensor<int32_t>({static_cast<int64_t>(sizes.size())}, sizes))
      .Input(Tensor::Scalar<int32_t>(axis)).Attr("num_split", pieces);
  return test;
}

TEST(SplitV, SizesAndWhatIsLeft) {
  for (const std::vector<double>& sizes : {std::vector<double>{1, 3}, {1, -1}, {-1, 3}}) {
    Split(sizes, 1, 2).Expect(MakeTensor<float>({2, 1}, {1, 5}))
        .Expect(MakeTensor<float>({2, 3}, {2, 3, 4, 6, 7, 8})).Run();
  }
  Split({0, 2}, -2, 2).Expect(MakeTensor<float>({0, 4}, {}))
      .Expect(MakeTensor<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})).Run();
}

TEST(SplitV, Rejects) {
  Split({1, 2}, 1, 2).RunExpectingError(Code::kInvalidArgument, "cannot split");
  Split({1, 4}, 1, 2).RunExpectingError(Code::kInvalidArgument, "cannot split");
  Split({-1, -1}, 1, 2).RunExpectingError(Code::kInvalidArgument, "-1");
  Split({5, -2}, 1, 2).RunExpectingError(Code::kInvalidArgument, "is -2");
  Split({4}, 1, 2).RunExpectingError(Code::kInvalidArgument, "");
  Split({1, 3}, 2, 2).RunExpectingError(Code::kInvalidArgument, "out of range");
}

TEST(SplitV, InfersTheOpenPiece) {
  InferShape test("SplitV");
  test.Input(DType::kFloat, {-1, 7}).Input(Tensor::Vector<int64_t>({-1, 3}))
      .Input(Tensor::Scalar<int32_t>(1)).Attr("num_split", int64_t{2});
  EXPECT_EQ(*test.Infer(), PartialShape({-1, 4}));
}

TEST(SplitV, RejectsSizesWhileTheGraphIsBuilt) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{4, -2, 1}, {1, 1, 2}, {-1, -1, 1}, {4, -1, 0}}) {
    InferShape test("SplitV");
    test.Input(DType::kFloat, {3}).Input(Tensor::Vector(sizes)).Input(Tensor::Scalar<int32_t>(0))
        .Attr("num_split", int64_t{3});
    EXPECT_TRUE(test.Infer().status().code() == Code::kInvalidArgument);
  }
}

TEST(SplitV, InfersShapes) {
  InferShape test("SplitV");
  test.Input(DType::kFloat, {-1, 4}).Input(MakeTensor<int64_t>({2}, {1, 3}))
      .Input(Tensor::Scalar<int32_t>(1));
  EXPECT_EQ(*test.Attr("num_split", int64_t{2}).Infer(), PartialShape({-1, 1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
