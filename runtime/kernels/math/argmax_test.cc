#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Axis(int32_t axis) { return Tensor::Scalar(axis); }

TEST(ArgMax, AllTypes) {
#define CASE(T)                                                                          \
  OpTest("ArgMax").Input(MakeTensor<T>({2, 3}, {1, 9, 3, 4, 5, 9})).Input(Axis(1))       \
      .Expect(Tensor::Vector<int64_t>({1, 2})).Run();                                    \
  OpTest("ArgMin").Input(MakeTensor<T>({2, 3}, {1, 9, 3, 4, 5, 2})).Input(Axis(0))       \
      .Expect(Tensor::Vector<int64_t>({0, 1, 1})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
  OpTest("ArgMax").Input(MakeTensor<bool>({3}, {0, 1, 1})).Input(Axis(0))
      .Expect(Tensor::Scalar<int64_t>(1)).Run();
}

TEST(ArgMax, TheFirstOfSeveral) {
  OpTest("ArgMax").Input(MakeTensor<float>({4}, {1, 3, 3, 2})).Input(Axis(-1))
      .Attr("output_type", DType::kInt32).Expect(Tensor::Scalar<int32_t>(1)).Run();
  OpTest("ArgMax").Input(MakeTensor<int32_t>({2}, {-2147483648.0, -2147483648.0})).Input(Axis(0))
      .Attr("output_type", DType::kInt16).Expect(Tensor::Scalar<int16_t>(0)).Run();
}

TEST(ArgMax, NaNIsNeverTheBest) {
  for (const char* op : {"ArgMax", "ArgMin"}) {
    OpTest(op).Input(MakeTensor<float>({3}, {NAN, 2, NAN})).Input(Axis(0))
        .Expect(Tensor::Scalar<int64_t>(1)).Run();
    OpTest(op).Input(MakeTensor<float>({2}, {NAN, NAN})).Input(Axis(0))
        .Expect(Tensor::Scalar<int64_t>(0)).Run();
  }
}

TEST(ArgMax, InTheMiddleOfALargeTensor) {
  constexpr int64_t kOuter = 3, kAxis = 50, kInner = 700;
  std::vector<double> values(kOuter * kAxis * kInner);
  std::vector<double> expected;
  for (int64_t outer = 0; outer < kOuter; ++outer) {
    for (int64_t inner = 0; inner < kInner; ++inner) {
      const int64_t best = (outer * 31 + inner * 7) % kAxis;
      values[static_cast<size_t>((outer * kAxis + best) * kInner + inner)] = 1;
      expected.push_back(static_cast<double>(best));
    }
  }
  OpTest("ArgMax").Input(MakeTensor<float>({kOuter, kAxis, kInner}, values)).Input(Axis(1))
      .Expect(MakeTensor<int64_t>({kOuter, kInner}, expected)).Run();
}

TEST(ArgMax, Rejects) {
  const auto fails = [](const Tensor& x, int32_t axis, const std::string& part) {
    OpTest("ArgMax").Input(x).Input(Axis(axis)).RunExpectingError(Code::kInvalidArgument, part);
  };
  fails(MakeTensor<float>({0, 3}, {}), 0, "Reduction axis 0 is empty");
  fails(MakeTensor<float>({2}, {1, 2}), 1, "out of range");
  fails(Tensor::Scalar(1.0f), 0, "no dimension");
}

TEST(ArgMax, InfersShapes) {
  InferShape known("ArgMax");
  EXPECT_EQ(*known.Input(DType::kFloat, {-1, 10}).Input(Axis(1)).Infer(), PartialShape({-1}));
  InferShape unknown("ArgMax");
  unknown.Input(DType::kFloat, {4, 10}).Input(DType::kInt32, Shape{});
  EXPECT_EQ(*unknown.Infer(), PartialShape({-1}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
