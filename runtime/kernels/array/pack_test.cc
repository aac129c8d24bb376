#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void PacksAndUnpacks() {
  const Tensor x = MakeTensor<T>({2}, {1, 2});
  const Tensor y = MakeTensor<T>({2}, {3, 4});
  const Tensor rows = MakeTensor<T>({2, 2}, {1, 2, 3, 4});
  const Tensor columns = MakeTensor<T>({2, 2}, {1, 3, 2, 4});
  OpTest("Pack").Input(x).Input(y).Expect(rows).Run();
  OpTest("Pack").Input(x).Input(y).Attr("axis", int64_t{-1}).Expect(columns).Run();
  OpTest("Unpack").Input(rows).Attr("num", int64_t{2}).Expect(x).Expect(y).Run();
  OpTest("Unpack").Input(columns).Attr("num", int64_t{2}).Attr("axis", int64_t{1}).Expect(x)
      .Expect(y).Run();
}

TEST(Pack, AllTypes) {
#define CASE(T) PacksAndUnpacks<T>();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Pack, Scalars) {
  OpTest("Pack").Input(Tensor::Scalar<int32_t>(7)).Input(Tensor::Scalar<int32_t>(8))
      .Input(Tensor::Scalar<int32_t>(9)).Expect(Tensor::Vector<int32_t>({7, 8, 9})).Run();
  OpTest("Unpack").Input(Tensor::Vector<int32_t>({7, 8})).Attr("num", int64_t{2})
      .Expect(Tensor::Scalar<int32_t>(7)).Expect(Tensor::Scalar<int32_t>(8)).Run();
}

TEST(Pack, Rejects) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  OpTest("Pack").Input(x).Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "incompatible");
  OpTest("Pack").Input(x).Attr("axis", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "out of range");
  OpTest("Unpack").Input(x).Attr("num", int64_t{3})
      .RunExpectingError(Code::kInvalidArgument, "must have size 3");
  OpTest("Unpack").Input(Tensor::Scalar(1.0f)).Attr("num", int64_t{1})
      .RunExpectingError(Code::kInvalidArgument, "out of range");
}

TEST(Pack, InfersShapes) {
  InferShape pack("Pack");
  pack.Input(DType::kFloat, {-1, 3}).Input(DType::kFloat, {2, -1}).Attr("axis", int64_t{1});
  EXPECT_EQ(*pack.Infer(), PartialShape({2, 2, 3}));
  InferShape unpack("Unpack");
  unpack.Input(DType::kFloat, {-1, 3}).Attr("num", int64_t{2});
  EXPECT_EQ(*unpack.Infer(), PartialShape({3}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
