#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Range(double start, double limit, double delta, const std::vector<double>& expected) {
  OpTest("Range").Input(MakeTensor<T>({}, {start})).Input(MakeTensor<T>({}, {limit}))
      .Input(MakeTensor<T>({}, {delta}))
      .Expect(MakeTensor<T>({static_cast<int64_t>(expected.size())}, expected)).Run();
}

TEST(Range, AllTypes) {
#define CASE(T)                            \
  Range<T>(1, 7, 2, {1, 3, 5});            \
  Range<T>(1, 8, 2, {1, 3, 5, 7});         \
  Range<T>(3, 0, -1, {3, 2, 1});           \
  Range<T>(2, 2, 1, {});
  TFBUILD_ARITHMETIC_TYPES(CASE)
  CASE(int8_t)
  CASE(int16_t)
#undef CASE
  Range<float>(0, 1, 0.25, {0, 0.25, 0.5, 0.75});
}

TEST(Range, AcrossAllOfInt64) {
  constexpr int64_t kMost = 9223372036854775807;
  OpTest("Range").Input(Tensor::Scalar<int64_t>(-kMost - 1)).Input(Tensor::Scalar<int64_t>(kMost))
      .Input(Tensor::Scalar<int64_t>(kMost))
      .Expect(Tensor::Vector<int64_t>({-kMost - 1, -1, kMost - 1})).Run();
}

TEST(Range, Rejects) {
  const auto fails = [](float start, float limit, float delta, const std::string& part) {
    OpTest("Range").Input(Tensor::Scalar(start)).Input(Tensor::Scalar(limit))
        .Input(Tensor::Scalar(delta)).RunExpectingError(Code::kInvalidArgument, part);
  };
  fails(0, 3, 0, "delta != 0");
  fails(0, 3, -1, "start >= limit");
  fails(3, 0, 1, "start <= limit");
  fails(0, INFINITY, 1, "too many elements");
  fails(0, NAN, 1, "too many elements");
}

TEST(Range, InfersShapes) {
  const Tensor one = Tensor::Scalar<int32_t>(1);
  InferShape known("Range");
  EXPECT_EQ(*known.Input(one).Input(Tensor::Scalar<int32_t>(5)).Input(one).Infer(),
            PartialShape({4}));
  InferShape unknown("Range");
  EXPECT_EQ(*unknown.Input(one).Input(DType::kInt32, Shape{}).Input(one).Infer(),
            PartialShape({-1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
