#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Shape, OfATensor) {
  const Tensor x = MakeTensor<float>({2, 0, 3}, {});
  OpTest("Shape").Input(x).Expect(MakeTensor<int32_t>({3}, {2, 0, 3})).Run();
  OpTest("Shape").Input(x).Attr("out_type", DType::kInt64)
      .Expect(MakeTensor<int64_t>({3}, {2, 0, 3})).Run();
  OpTest("Shape").Input(Tensor::Scalar(1.0f)).Expect(MakeTensor<int32_t>({0}, {})).Run();
}

TEST(Shape, OfSeveralTensors) {
  OpTest("ShapeN").Input(MakeTensor<float>({2, 1}, {1, 2})).Input(Tensor::Scalar(1.0f))
      .Expect(MakeTensor<int32_t>({2}, {2, 1})).Expect(MakeTensor<int32_t>({0}, {})).Run();
}

TEST(Size, OfATensor) {
  OpTest("Size").Input(MakeTensor<bool>({2, 3}, {0, 0, 0, 0, 0, 0}))
      .Expect(Tensor::Scalar<int32_t>(6)).Run();
  OpTest("Size").Input(Tensor::Scalar(1.0f)).Attr("out_type", DType::kInt64)
      .Expect(Tensor::Scalar<int64_t>(1)).Run();
}

TEST(Rank, OfATensor) {
  OpTest("Rank").Input(MakeTensor<float>({1, 1}, {4})).Expect(Tensor::Scalar<int32_t>(2)).Run();
}

TEST(ShapeN, OfEachTensor) {
  OpTest("ShapeN")
      .Input(MakeTensor<float>({2, 1}, {1, 2}))
      .Input(MakeTensor<float>({0}, {}))
      .Attr("out_type", DType::kInt64)
      .Expect(Tensor::Vector<int64_t>({2, 1}))
      .Expect(Tensor::Vector<int64_t>({0}))
      .Run();
}

// The tensor is empty, so it costs nothing to have a dimension that int32 cannot hold.
TEST(Shape, RejectsWhatDoesNotFit) {
  const Tensor x = MakeTensor<float>({0, int64_t{1} << 33}, {});
  OpTest("Shape").Input(x).RunExpectingError(Code::kInvalidArgument, "does not fit in int32");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
