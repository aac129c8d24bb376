#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Unary(const char* op, const std::vector<double>& x, const std::vector<double>& y) {
  const Shape shape{static_cast<int64_t>(x.size())};
  OpTest(op).Input(MakeTensor<T>(shape, x)).Expect(MakeTensor<T>(shape, y)).Run();
}

TEST(Neg, SignedTypes) {
#define CASE(T)                                 \
  Unary<T>("Neg", {1, -2, 3}, {-1, 2, -3});     \
  Unary<T>("Abs", {1, -2, 0}, {1, 2, 0});       \
  Unary<T>("Sign", {5, -2, 0}, {1, -1, 0});     \
  Unary<T>("Square", {3, -2, 0}, {9, 4, 0});
  TFBUILD_FLOATING_TYPES(CASE)
  CASE(int8_t)
  CASE(int16_t)
  CASE(int32_t)
  CASE(int64_t)
#undef CASE
  Unary<uint8_t>("Square", {3, 16}, {9, 0});
}

TEST(Neg, LowestStays) {
  const Tensor lowest = Tensor::Scalar<int32_t>(-2147483647 - 1);
  OpTest("Neg").Input(lowest).Expect(lowest).Run();
  OpTest("Abs").Input(lowest).Expect(lowest).Run();
}

// 0 - x would lose the sign of zero.
TEST(Neg, OfZeroHasTheOtherSign) {
#define CASE(T) Unary<T>("Neg", {0.0, -0.0, INFINITY, NAN}, {-0.0, 0.0, -INFINITY, NAN});
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(Sign, OfNaNIsNaN) { Unary<float>("Sign", {NAN, -0.0}, {NAN, -0.0}); }

TEST(Reciprocal, Floats) {
#define CASE(T)                                             \
  Unary<T>("Reciprocal", {2, -4, 0}, {0.5, -0.25, INFINITY});
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(ReciprocalGrad, IsMinusDyTimesYSquared) {
  OpTest("ReciprocalGrad").Input(MakeTensor<float>({2}, {2, -1}))
      .Input(MakeTensor<float>({2}, {3, 5})).Expect(MakeTensor<float>({2}, {-12, -5})).Run();
}

TEST(ReciprocalGrad, RejectsDifferentShapes) {
  OpTest("ReciprocalGrad").Input(MakeTensor<float>({2}, {2, -1})).Input(Tensor::Scalar(3.0f))
      .RunExpectingError(Code::kInvalidArgument, "same shape");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
