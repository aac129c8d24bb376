#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void TakesElementsAndSlices() {
  const Tensor params = MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("GatherNd")
      .Input(params)
      .Input(MakeTensor<int32_t>({2, 2}, {1, 2, 0, 0}))
      .Expect(MakeTensor<T>({2}, {6, 1}))
      .Run();
  OpTest("GatherNd")
      .Input(params)
      .Input(MakeTensor<int64_t>({2, 1, 1}, {1, 1}))
      .Expect(MakeTensor<T>({2, 1, 3}, {4, 5, 6, 4, 5, 6}))
      .Run();
}

TEST(GatherNd, Float) { TakesElementsAndSlices<float>(); }
TEST(GatherNd, Double) { TakesElementsAndSlices<double>(); }
TEST(GatherNd, Half) { TakesElementsAndSlices<Half>(); }
TEST(GatherNd, Int8) { TakesElementsAndSlices<int8_t>(); }

TEST(GatherNd, NoCoordinatesAreTheWhole) {
  OpTest("GatherNd")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<int32_t>({2, 0}, {}))
      .Expect(MakeTensor<float>({2, 2}, {1, 2, 1, 2}))
      .Run();
}

TEST(GatherNd, RejectsCoordinatesOutside) {
  for (const double at : {-1.0, 3.0}) {
    OpTest("GatherNd")
        .Input(MakeTensor<float>({3}, {1, 2, 3}))
        .Input(MakeTensor<int32_t>({1, 1}, {at}))
        .RunExpectingError(Code::kInvalidArgument, "does not index");
  }
  OpTest("GatherNd")
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .Input(MakeTensor<int32_t>({1, 2}, {0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "rank");
}

template <typename T>
void AddsUp() {
  OpTest("ScatterNd")
      .Input(MakeTensor<int32_t>({3, 1}, {1, 3, 1}))
      .Input(MakeTensor<T>({3, 2}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Vector<int32_t>({4, 2}))
      .Expect(MakeTensor<T>({4, 2}, {0, 0, 6, 8, 0, 0, 3, 4}))
      .Run();
}

TEST(ScatterNd, Float) { AddsUp<float>(); }
TEST(ScatterNd, Double) { AddsUp<double>(); }
TEST(ScatterNd, Half) { AddsUp<Half>(); }
TEST(ScatterNd, BFloat16) { AddsUp<BFloat16>(); }
TEST(ScatterNd, Int64) { AddsUp<int64_t>(); }

TEST(ScatterNd, RejectsWhatDoesNotFit) {
  OpTest("ScatterNd")
      .Input(MakeTensor<int32_t>({1, 1}, {4}))
      .Input(MakeTensor<float>({1}, {1}))
      .Input(Tensor::Vector<int32_t>({4}))
      .RunExpectingError(Code::kInvalidArgument, "does not index");
  OpTest("ScatterNd")
      .Input(MakeTensor<int32_t>({1, 1}, {0}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(Tensor::Vector<int32_t>({4}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
