// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(SparseReorder, Float) {
  OpTest("SparseReorder")
      .Input(MakeTensor<int64_t>({4, 2}, {2, 0, 0, 1, 2, 2, 0, 3}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Expect(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Expect(MakeTensor<float>({4}, {-2, 4, 1, 3}))
      .Run();
}

TEST(SparseReorder, Strings) {
  OpTest("SparseReorder")
      .Input(MakeTensor<int64_t>({2, 1}, {1, 0}))
      .Input(Tensor::Strings(Shape{2}, {"b", "a"}))
      .Input(MakeTensor<int64_t>({1}, {2}))
      .Expect(MakeTensor<int64_t>({2, 1}, {0, 1}))
      .Expect(Tensor::Strings(Shape{2}, {"a", "b"}))
      .Run();
}

TEST(SparseReshape, Inferred) {
  OpTest("SparseReshape")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {2, -1}))
      .Expect(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 1, 2, 1, 4}))
      .Expect(MakeTensor<int64_t>({2}, {2, 6}))
      .Run();
}

TEST(SparseReshape, Malformed) {
  OpTest("SparseReshape")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {5, -1}))
      .RunExpectingError(Code::kInvalidArgument, "multiple");
  OpTest("SparseReshape")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {-1, -1}))
      .RunExpectingError(Code::kInvalidArgument, "only one");
  OpTest("SparseReshape")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {5, 2}))
      .RunExpectingError(Code::kInvalidArgument, "dense values");
  OpTest("SparseReshape")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({1}, {12}))
      .RunExpectingError(Code::kInvalidArgument, "out of bounds");
  OpTest("SparseReshape")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({2}, {1099511627776, 1099511627776}))
      .Input(MakeTensor<int64_t>({1}, {12}))
      .RunExpectingError(Code::kInvalidArgument, "too many");
}

TEST(SparseFillEmptyRows, Float) {
  OpTest("SparseFillEmptyRows")
      .Input(MakeTensor<int64_t>({4, 2}, {2, 0, 0, 1, 0, 3, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {5, 4}))
      .Input(MakeTensor<float>({}, {9}))
      .Expect(MakeTensor<int64_t>({7, 2}, {0, 1, 0, 3, 1, 0, 2, 0, 2, 2, 3, 0, 4, 0}))
      .Expect(MakeTensor<float>({7}, {-2, 3, 9, 1, 4, 9, 9}))
      .Expect(MakeTensor<bool>({5}, {0, 1, 0, 1, 1}))
      .Expect(MakeTensor<int64_t>({4}, {3, 0, 1, 4}))
      .Run();
}

TEST(SparseFillEmptyRows, Malformed) {
  OpTest("SparseFillEmptyRows")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {2, 4}))
      .Input(MakeTensor<float>({}, {9}))
      .RunExpectingError(Code::kInvalidArgument, "is invalid");
  OpTest("SparseFillEmptyRows")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({1}, {9}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(SparseFillEmptyRowsGrad, Float) {
  OpTest("SparseFillEmptyRowsGrad")
      .Input(MakeTensor<int64_t>({2}, {2, 0}))
      .Input(MakeTensor<float>({4}, {1, 2, 3, 4}))
      .Expect(MakeTensor<float>({2}, {3, 1}))
      .Expect(MakeTensor<float>({}, {6}))
      .Run();
}

TEST(SparseFillEmptyRowsGrad, Malformed) {
  OpTest("SparseFillEmptyRowsGrad")
      .Input(MakeTensor<int64_t>({2}, {2, 9}))
      .Input(MakeTensor<float>({4}, {1, 2, 3, 4}))
      .RunExpectingError(Code::kInvalidArgument, "reverse index");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
