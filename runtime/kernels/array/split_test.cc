#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Split, AllTypes) {
#define CASE(T)                                                                        \
  OpTest("Split").Input(Tensor::Scalar<int32_t>(1))                                    \
      .Input(MakeTensor<T>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})).Attr("num_split", int64_t{2}) \
      .Expect(MakeTensor<T>({2, 2}, {1, 2, 5, 6}))                                     \
      .Expect(MakeTensor<T>({2, 2}, {3, 4, 7, 8})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Split, FirstAndNegativeAxis) {
  const Tensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  OpTest("Split").Input(Tensor::Scalar<int32_t>(0)).Input(x).Attr("num_split", int64_t{2})
      .Expect(MakeTensor<float>({1, 2}, {1, 2})).Expect(MakeTensor<float>({1, 2}, {3, 4})).Run();
  OpTest("Split").Input(Tensor::Scalar<int32_t>(-1)).Input(x).Attr("num_split", int64_t{1})
      .Expect(x).Run();
  OpTest("Split").Input(Tensor::Scalar<int32_t>(0)).Input(MakeTensor<float>({0, 2}, {}))
      .Attr("num_split", int64_t{2}).Expect(MakeTensor<float>({0, 2}, {}))
      .Expect(MakeTensor<float>({0, 2}, {})).Run();
}

TEST(Split, Rejects) {
  const auto fails = [](int32_t axis, int64_t pieces, const std::string& part) {
    OpTest("Split").Input(Tensor::Scalar(axis)).Input(MakeTensor<float>({3}, {1, 2, 3}))
        .Attr("num_split", pieces).RunExpectingError(Code::kInvalidArgument, part);
  };
  fails(0, 2, "evenly divide");
  fails(1, 3, "out of range");
  fails(0, 0, "at least 1");
}

TEST(Split, InfersShapes) {
  InferShape test("Split");
  test.Input(Tensor::Scalar<int32_t>(1)).Input(DType::kFloat, {-1, 6});
  EXPECT_EQ(*test.Attr("num_split", int64_t{3}).Infer(), PartialShape({-1, 2}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
