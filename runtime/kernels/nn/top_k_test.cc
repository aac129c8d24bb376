#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void TopKFindsTheLargest() {
  OpTest("TopKV2")
      .Input(MakeTensor<T>({2, 4}, {3, 1, 4, 2, 5, 5, 0, 5}))
      .Input(Tensor::Scalar<int32_t>(3))
      .Expect(MakeTensor<T>({2, 3}, {4, 3, 2, 5, 5, 5}))
      .Expect(MakeTensor<int32_t>({2, 3}, {2, 0, 3, 0, 1, 3}))
      .Run();
}

TEST(TopK, Float) { TopKFindsTheLargest<float>(); }
TEST(TopK, Double) { TopKFindsTheLargest<double>(); }
TEST(TopK, Half) { TopKFindsTheLargest<Half>(); }
TEST(TopK, BFloat16) { TopKFindsTheLargest<BFloat16>(); }
TEST(TopK, Int64) { TopKFindsTheLargest<int64_t>(); }
TEST(TopK, Uint8) { TopKFindsTheLargest<uint8_t>(); }

TEST(TopK, NaNComesLast) {
  OpTest("TopKV2")
      .Input(MakeTensor<float>({3}, {NAN, -1, INFINITY}))
      .Input(Tensor::Scalar<int32_t>(3))
      .Expect(MakeTensor<float>({3}, {INFINITY, -1, NAN}))
      .Expect(MakeTensor<int32_t>({3}, {2, 1, 0}))
      .Run();
}

TEST(TopK, NothingOfNothing) {
  OpTest("TopKV2")
      .Input(MakeTensor<float>({0, 3}, {}))
      .Input(Tensor::Scalar<int32_t>(2))
      .Expect(MakeTensor<float>({0, 2}, {}))
      .Expect(MakeTensor<int32_t>({0, 2}, {}))
      .Run();
}

TEST(TopK, RejectsWrongCounts) {
  for (const int32_t k : {-1, 4}) {
    OpTest("TopKV2")
        .Input(MakeTensor<float>({1, 3}, {1, 2, 3}))
        .Input(Tensor::Scalar<int32_t>(k))
        .RunExpectingError(Code::kInvalidArgument, "k");
  }
  OpTest("TopKV2")
      .Input(MakeTensor<float>(Shape{}, {1}))
      .Input(Tensor::Scalar<int32_t>(1))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
