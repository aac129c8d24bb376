#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Tile, AllTypes) {
#define CASE(T)                                                                        \
  OpTest("Tile").Input(MakeTensor<T>({2, 2}, {1, 2, 3, 4}))                            \
      .Input(Tensor::Vector<int32_t>({2, 3}))                                          \
      .Expect(MakeTensor<T>({4, 6}, {1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4,               \
                                     1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Tile, OnceNeverAndScalars) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  OpTest("Tile").Input(x).Input(Tensor::Vector<int64_t>({1})).Expect(x).Run();
  OpTest("Tile").Input(x).Input(Tensor::Vector<int64_t>({0}))
      .Expect(MakeTensor<float>({0}, {})).Run();
  OpTest("Tile").Input(Tensor::Scalar(1.0f)).Input(Tensor::Vector<int32_t>({}))
      .Expect(Tensor::Scalar(1.0f)).Run();
}

TEST(Tile, Rejects) {
  const auto fails = [](const std::vector<int64_t>& multiples, const std::string& part) {
    OpTest("Tile").Input(MakeTensor<float>({2}, {1, 2})).Input(Tensor::Vector(multiples))
        .RunExpectingError(Code::kInvalidArgument, part);
  };
  fails({-1}, "multiples[0] >= 0");
  fails({1, 1}, "length 1");
  fails({int64_t{1} << 60}, "too many");
}

TEST(Tile, InfersShapes) {
  InferShape test("Tile");
  test.Input(DType::kFloat, {-1, 3}).Input(Tensor::Vector<int32_t>({2, 2}));
  EXPECT_EQ(*test.Infer(), PartialShape({-1, 6}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
