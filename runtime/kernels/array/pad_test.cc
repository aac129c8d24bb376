#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Pad, AllTypes) {
#define CASE(T)                                                                           \
  OpTest("Pad").Input(MakeTensor<T>({1, 2}, {1, 2}))                                      \
      .Input(MakeTensor<int32_t>({2, 2}, {1, 0, 0, 2}))                                   \
      .Expect(MakeTensor<T>({2, 4}, {0, 0, 0, 0, 1, 2, 0, 0})).Run();                     \
  OpTest("PadV2").Input(MakeTensor<T>({2}, {1, 2})).Input(MakeTensor<int64_t>({1, 2}, {2, 1})) \
      .Input(Tensor::Scalar(T(9))).Expect(MakeTensor<T>({5}, {9, 9, 1, 2, 9})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Pad, NothingAndEmpty) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  OpTest("Pad").Input(x).Input(MakeTensor<int32_t>({1, 2}, {0, 0})).Expect(x).Run();
  OpTest("Pad").Input(MakeTensor<float>({0}, {})).Input(MakeTensor<int32_t>({1, 2}, {1, 1}))
      .Expect(MakeTensor<float>({2}, {0, 0})).Run();
  OpTest("Pad").Input(Tensor::Scalar(3.0f)).Input(MakeTensor<int32_t>({0, 2}, {}))
      .Expect(Tensor::Scalar(3.0f)).Run();
}

TEST(Pad, Rejects) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  OpTest("Pad").Input(x).Input(MakeTensor<int32_t>({1, 2}, {-1, 0}))
      .RunExpectingError(Code::kInvalidArgument, "non-negative");
  OpTest("Pad").Input(x).Input(MakeTensor<int32_t>({2, 2}, {0, 0, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "paddings must have shape");
  OpTest("PadV2").Input(x).Input(MakeTensor<int32_t>({1, 2}, {1, 0})).Input(x)
      .RunExpectingError(Code::kInvalidArgument, "must be a scalar");
}

TEST(Pad, InfersShapes) {
  InferShape pad("Pad");
  pad.Input(DType::kFloat, {-1, 3}).Input(MakeTensor<int32_t>({2, 2}, {0, 0, 1, 2}));
  EXPECT_EQ(*pad.Infer(), PartialShape({-1, 6}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
