// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// An op of [[0, 1, 0, -2], [0, 0, 0, 0], [3, 0, 4, 0]].
OpTest OfMatrix(const std::string& op) {
  OpTest test(op);
  test.Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}));
  return test;
}

// An op of two matrices, whose shapes follow.
OpTest OfTwoMatrices(const std::string& op) {
  OpTest test(op);
  test.Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<float>({4}, {5, 2, 0.5, -4.05000019}));
  return test;
}

TEST(SparseConcat, Rows) {
  OfTwoMatrices("SparseConcat")
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Attr("concat_dim", int64_t{0})
      .Attr("N", int64_t{2})
      .Expect(MakeTensor<int64_t>({8, 2}, {0, 1, 0, 3, 2, 0, 2, 2, 3, 0, 3, 3, 4, 1, 5, 2}))
      .Expect(MakeTensor<float>({8}, {1, -2, 3, 4, 5, 2, 0.5, -4.05000019}))
      .Expect(MakeTensor<int64_t>({2}, {6, 4}))
      .Run();
}

TEST(SparseConcat, Columns) {
  OfTwoMatrices("SparseConcat")
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Attr("concat_dim", int64_t{-1})
      .Attr("N", int64_t{2})
      .Expect(MakeTensor<int64_t>({8, 2}, {0, 1, 0, 3, 0, 4, 0, 7, 1, 5, 2, 0, 2, 2, 2, 6}))
      .Expect(MakeTensor<float>({8}, {1, -2, 5, 2, 0.5, 3, 4, -4.05000019}))
      .Expect(MakeTensor<int64_t>({2}, {3, 8}))
      .Run();
}

TEST(SparseConcat, Strings) {
  OpTest("SparseConcat")
      .Input(MakeTensor<int64_t>({1, 1}, {0}))
      .Input(MakeTensor<int64_t>({1, 1}, {1}))
      .Input(Tensor::Strings(Shape{1}, {"a"}))
      .Input(Tensor::Strings(Shape{1}, {"b"}))
      .Input(MakeTensor<int64_t>({1}, {2}))
      .Input(MakeTensor<int64_t>({1}, {2}))
      .Attr("concat_dim", int64_t{0})
      .Attr("N", int64_t{2})
      .Expect(MakeTensor<int64_t>({2, 1}, {0, 3}))
      .Expect(Tensor::Strings(Shape{2}, {"a", "b"}))
      .Expect(MakeTensor<int64_t>({1}, {4}))
      .Run();
}

TEST(SparseConcat, Malformed) {
  OfTwoMatrices("SparseConcat")
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {4, 4}))
      .Attr("concat_dim", int64_t{1})
      .Attr("N", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "match");
  OfTwoMatrices("SparseConcat")
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Attr("concat_dim", int64_t{2})
      .Attr("N", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "Concat dimension");
  OfTwoMatrices("SparseConcat")
      .Input(MakeTensor<int64_t>({2}, {3, 4611686018427387904}))
      .Input(MakeTensor<int64_t>({2}, {3, 4611686018427387904}))
      .Attr("concat_dim", int64_t{1})
      .Attr("N", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "too large");
}

TEST(SparseSlice, Float) {
  OfMatrix("SparseSlice")
      .Input(MakeTensor<int64_t>({2}, {0, 1}))
      .Input(MakeTensor<int64_t>({2}, {3, 9}))
      .Expect(MakeTensor<int64_t>({3, 2}, {0, 0, 0, 2, 2, 1}))
      .Expect(MakeTensor<float>({3}, {1, -2, 4}))
      .Expect(MakeTensor<int64_t>({2}, {3, 3}))
      .Run();
}

TEST(SparseSlice, Malformed) {
  OfMatrix("SparseSlice")
      .Input(MakeTensor<int64_t>({1}, {0}))
      .Input(MakeTensor<int64_t>({1}, {3}))
      .RunExpectingError(Code::kInvalidArgument, "length");
  OfMatrix("SparseSlice")
      .Input(MakeTensor<int64_t>({2}, {-1, 0}))
      .Input(MakeTensor<int64_t>({2}, {3, 1}))
      .RunExpectingError(Code::kInvalidArgument, "negative");
}

TEST(SparseSliceGrad, Float) {
  OpTest("SparseSliceGrad")
      .Input(MakeTensor<float>({2}, {7, 8}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({2}, {0, 1}))
      .Input(MakeTensor<int64_t>({2, 2}, {0, 0, 2, 1}))
      .Expect(MakeTensor<float>({4}, {7, 0, 0, 8}))
      .Run();
}

TEST(SparseSliceGrad, Malformed) {
  OpTest("SparseSliceGrad")
      .Input(MakeTensor<float>({1}, {7}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({2}, {0, 1}))
      .Input(MakeTensor<int64_t>({1, 2}, {5, 5}))
      .RunExpectingError(Code::kInvalidArgument, "no element");
  // No indices, each of so many numbers that a list of them would be 32 GB.
  OpTest("SparseSliceGrad")
      .Input(MakeTensor<float>({0}, {}))
      .Input(MakeTensor<int64_t>({0, int64_t{1} << 32}, {}))
      .Input(MakeTensor<int64_t>({2}, {0, 1}))
      .Input(MakeTensor<int64_t>({0, int64_t{1} << 32}, {}))
      .RunExpectingError(Code::kInvalidArgument, "at most 254 dimensions");
}

TEST(SparseSplit, Columns) {
  OpTest("SparseSplit")
      .Input(MakeTensor<int64_t>({}, {1}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Attr("num_split", int64_t{3})
      .Expect(MakeTensor<int64_t>({2, 2}, {0, 1, 2, 0}))
      .Expect(MakeTensor<int64_t>({1, 2}, {2, 0}))
      .Expect(MakeTensor<int64_t>({1, 2}, {0, 0}))
      .Expect(MakeTensor<float>({2}, {1, 3}))
      .Expect(MakeTensor<float>({1}, {4}))
      .Expect(MakeTensor<float>({1}, {-2}))
      .Expect(MakeTensor<int64_t>({2}, {3, 2}))
      .Expect(MakeTensor<int64_t>({2}, {3, 1}))
      .Expect(MakeTensor<int64_t>({2}, {3, 1}))
      .Run();
}

TEST(SparseSplit, Malformed) {
  OpTest("SparseSplit")
      .Input(MakeTensor<int64_t>({}, {2}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Attr("num_split", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "split_dim");
  OpTest("SparseSplit")
      .Input(MakeTensor<int64_t>({}, {1}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Attr("num_split", int64_t{5})
      .RunExpectingError(Code::kInvalidArgument, "num_split");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
