#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Fill, AllTypes) {
#define CASE(T)                                                                       \
  OpTest("Fill").Input(Tensor::Vector<int32_t>({2, 2})).Input(Tensor::Scalar(T(3)))   \
      .Expect(MakeTensor<T>({2, 2}, {3, 3, 3, 3})).Run();                             \
  OpTest("ZerosLike").Input(MakeTensor<T>({3}, {1, 2, 3})).Expect(MakeTensor<T>({3}, {0, 0, 0})) \
      .Run();                                                                         \
  OpTest("OnesLike").Input(MakeTensor<T>({3}, {4, 2, 3})).Expect(MakeTensor<T>({3}, {1, 1, 1})) \
      .Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
  OpTest("OnesLike").Input(MakeTensor<bool>({2}, {0, 1})).Expect(MakeTensor<bool>({2}, {1, 1}))
      .Run();
}

TEST(Fill, ScalarsAndEmptyTensors) {
  OpTest("Fill").Input(Tensor::Vector<int64_t>({})).Input(Tensor::Scalar(2.0f))
      .Expect(Tensor::Scalar(2.0f)).Run();
  OpTest("Fill").Input(Tensor::Vector<int32_t>({0, 4})).Input(Tensor::Scalar(2.0f))
      .Expect(MakeTensor<float>({0, 4}, {})).Run();
}

TEST(Fill, Strings) {
  OpTest test("Fill");
  test.Input(Tensor::Vector<int32_t>({2})).Input(Tensor::Strings({}, {"text"}));
  const Result<std::vector<Tensor>> outputs = test.RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ((*outputs)[0].data<std::string>()[1], std::string("text"));
}

TEST(Fill, Rejects) {
  const auto fails = [](const Tensor& dims, const Tensor& value, const std::string& part) {
    OpTest("Fill").Input(dims).Input(value).RunExpectingError(Code::kInvalidArgument, part);
  };
  fails(Tensor::Vector<int32_t>({-1}), Tensor::Scalar(1.0f), "negative dimension");
  fails(Tensor::Vector<int32_t>({2}), MakeTensor<float>({2}, {1, 2}), "rank 0");
  fails(Tensor::Vector<int64_t>({int64_t{1} << 50}), Tensor::Scalar(1.0f), "too many");
}

TEST(Fill, InfersShapes) {
  InferShape fill("Fill");
  fill.Input(DType::kInt32, {3}).Input(DType::kFloat, PartialShape(std::vector<int64_t>{}));
  EXPECT_EQ(*fill.Infer(), PartialShape({-1, -1, -1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
