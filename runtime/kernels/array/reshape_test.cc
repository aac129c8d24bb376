#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Dims(const std::vector<int32_t>& dims) { return Tensor::Vector(dims); }

TEST(Reshape, KeepsTheElements) {
  const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("Reshape").Input(x).Input(Dims({3, 2}))
      .Expect(MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6})).Run();
  OpTest("Reshape").Input(x).Input(Dims({-1}))
      .Expect(MakeTensor<float>({6}, {1, 2, 3, 4, 5, 6})).Run();
  OpTest("Reshape").Input(x).Input(Tensor::Vector<int64_t>({1, -1, 2}))
      .Expect(MakeTensor<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6})).Run();
  OpTest("Reshape").Input(Tensor::Scalar(7.0f)).Input(Dims({1, 1}))
      .Expect(MakeTensor<float>({1, 1}, {7})).Run();
  OpTest("Reshape").Input(MakeTensor<float>({1}, {7})).Input(Dims({}))
      .Expect(Tensor::Scalar(7.0f)).Run();
}

TEST(Reshape, Empty) {
  const Tensor x = MakeTensor<float>({0, 2}, {});
  OpTest("Reshape").Input(x).Input(Dims({-1, 0})).Expect(MakeTensor<float>({2, 0}, {})).Run();
  OpTest("Reshape").Input(x).Input(Dims({0, 5})).Expect(MakeTensor<float>({0, 5}, {})).Run();
  OpTest("Reshape").Input(x).Input(Dims({-1, 4})).Expect(MakeTensor<float>({0, 4}, {})).Run();
}

TEST(Reshape, Rejects) {
  const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto fails = [&x](const Tensor& shape, const std::string& part) {
    OpTest("Reshape").Input(x).Input(shape).RunExpectingError(Code::kInvalidArgument, part);
  };
  fails(Dims({4}), "cannot reshape");
  fails(Dims({-1, 4}), "cannot reshape");
  fails(Dims({-1, -1}), "Only one");
  fails(Dims({-2, 3}), "negative");
  fails(Tensor::Vector<int64_t>({int64_t{1} << 40, int64_t{1} << 40}), "too many");
}

TEST(Reshape, InfersShapes) {
  const auto infer = [](PartialShape input, const Tensor& shape) {
    return InferShape("Reshape").Input(DType::kFloat, std::move(input)).Input(shape).Infer();
  };
  EXPECT_EQ(*infer({-1, 28, 28}, Dims({-1, 784})), PartialShape({-1, 784}));
  EXPECT_EQ(*infer({4, 28, 28}, Dims({-1, 784})), PartialShape({4, 784}));
  EXPECT_EQ(*infer(PartialShape(), Dims({2, 2})), PartialShape({2, 2}));
  EXPECT_ERROR(infer({4, 3}, Dims({5, -1})), Code::kInvalidArgument, "cannot reshape");
  const Result<PartialShape> unknown = InferShape("Reshape").Input(DType::kFloat, {4, 3})
                                           .Input(DType::kInt32, {2}).Infer();
  EXPECT_EQ(*unknown, PartialShape({-1, -1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
