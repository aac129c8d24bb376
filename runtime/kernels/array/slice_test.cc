#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }

TEST(Slice, ABlock) {
#define CASE(T)                                                                               \
  OpTest("Slice").Input(MakeTensor<T>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})).Input(Ints({1, 0})) \
      .Input(Ints({2, 2})).Expect(MakeTensor<T>({2, 2}, {4, 5, 7, 8})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Slice, TheRestAndTheWhole) {
  const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("Slice").Input(x).Input(Ints({0, 1})).Input(Ints({-1, -1}))
      .Expect(MakeTensor<float>({2, 2}, {2, 3, 5, 6})).Run();
  OpTest("Slice").Input(x).Input(Ints({0, 0})).Input(Ints({2, 3})).Expect(x).Run();
  OpTest("Slice").Input(x).Input(Ints({2, 1})).Input(Ints({0, 2}))
      .Expect(MakeTensor<float>({0, 2}, {})).Run();
}

TEST(Slice, Rejects) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  const auto fails = [&x](const std::vector<int32_t>& begin, const std::vector<int32_t>& size,
                          const std::string& part) {
    OpTest("Slice").Input(x).Input(Ints(begin)).Input(Ints(size))
        .RunExpectingError(Code::kInvalidArgument, part);
  };
  fails({1}, {2}, "leaves dimension 0");
  fails({-1}, {1}, "leaves dimension 0");
  fails({3}, {-1}, "leaves dimension 0");
  fails({0}, {-2}, "negative");
  fails({0, 0}, {1, 1}, "rank 2");
  fails({0, 0}, {1}, "begin has 2");
}

TEST(Slice, InfersShapes) {
  InferShape rest("Slice");
  rest.Input(DType::kFloat, {-1, 5}).Input(Ints({0, 2})).Input(Ints({-1, -1}));
  EXPECT_EQ(*rest.Infer(), PartialShape({-1, 3}));
  InferShape unknown("Slice");
  unknown.Input(DType::kFloat, {4, 5}).Input(DType::kInt32, {2}).Input(Ints({2, -1}));
  EXPECT_EQ(*unknown.Infer(), PartialShape({2, -1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
