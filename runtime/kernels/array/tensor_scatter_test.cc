// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(TensorScatterUpdate, Rows) {
  OpTest("TensorScatterUpdate")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({3, 1}, {2, 0, 1}))
      .Input(MakeTensor<float>({3, 4}, {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}))
      .Expect(MakeTensor<float>({3, 4}, {40, 50, 60, 70, 80, 90, 100, 110, 0, 10, 20, 30}))
      .Run();
}

TEST(TensorScatterAdd, Repeated) {
  for (const char* op : {"TensorScatterAdd", "ScatterNdNonAliasingAdd"}) {
    OpTest(op)
        .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
        .Input(MakeTensor<int32_t>({3, 1}, {2, 0, 2}))
        .Input(MakeTensor<float>({3, 4}, {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}))
        .Expect(MakeTensor<float>({3, 4}, {40, 51, 62, 73, 4, 5, 6, 7, 88, 109, 130, 151}))
        .Run();
  }
}

TEST(TensorScatterSub, Elements) {
  OpTest("TensorScatterSub")
      .Input(MakeTensor<int32_t>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int64_t>({2, 2}, {0, 1, 2, 3}))
      .Input(MakeTensor<int32_t>({2}, {5, 6}))
      .Expect(MakeTensor<int32_t>({3, 4}, {0, -4, 2, 3, 4, 5, 6, 7, 8, 9, 10, 5}))
      .Run();
}

TEST(TensorScatterUpdate, Strings) {
  OpTest("TensorScatterUpdate")
      .Input(Tensor::Strings(Shape{2}, {"a", "b"}))
      .Input(MakeTensor<int32_t>({1, 1}, {1}))
      .Input(Tensor::Strings(Shape{1}, {"z"}))
      .Expect(Tensor::Strings(Shape{2}, {"a", "z"}))
      .Run();
}

TEST(TensorScatter, IgnoresCoordinatesOutsideWhereItIsAskedTo) {
  const auto expect = [](const char* op, const std::vector<double>& expected) {
    OpTest(op)
        .Attr("bad_indices_policy", std::string("IGNORE"))
        .Input(MakeTensor<float>({3}, {1, 2, 3}))
        .Input(MakeTensor<int32_t>({3, 1}, {0, 9, 1}))
        .Input(MakeTensor<float>({3}, {1, 2, 3}))
        .Expect(MakeTensor<float>({3}, expected))
        .Run();
  };
  expect("TensorScatterUpdate", {1, 3, 3});
  expect("TensorScatterAdd", {2, 5, 3});
  expect("ScatterNdNonAliasingAdd", {2, 5, 3});
  expect("TensorScatterSub", {0, -1, 3});
}

TEST(TensorScatterUpdate, Malformed) {
  OpTest("TensorScatterUpdate")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({1, 1}, {3}))
      .Input(MakeTensor<float>({1, 4}, {0, 1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "indices");
  OpTest("TensorScatterUpdate")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({1, 3}, {0, 0, 0}))
      .Input(MakeTensor<float>({1}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "coordinates");
  OpTest("TensorScatterUpdate")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({1, 1}, {0}))
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
