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

TEST(SparseAdd, Float) {
  OfMatrix("SparseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<float>({4}, {5, 2, 0.5, -4.05000019}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({}, {0.100000001}))
      .Expect(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 1, 1, 2, 0}))
      .Expect(MakeTensor<float>({4}, {5, 1, 0.5, 3}))
      .Expect(MakeTensor<int64_t>({2}, {3, 4}))
      .Run();
}

TEST(SparseAdd, HoldsOnlySumsOfTwoAgainstTheThreshold) {
  OfMatrix("SparseAdd")
      .Input(MakeTensor<int64_t>({2, 2}, {0, 0, 0, 3}))
      .Input(MakeTensor<float>({2}, {0.5, 1}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({}, {2}))
      .Expect(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 2, 0, 2, 2}))
      .Expect(MakeTensor<float>({4}, {0.5, 1, 3, 4}))
      .Expect(MakeTensor<int64_t>({2}, {3, 4}))
      .Run();
}

TEST(SparseAdd, EverythingKept) {
  OpTest("SparseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int32_t>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({4}, {5, 2, 0, -4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int32_t>({}, {0}))
      .Expect(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 0, 3, 1, 1, 2, 0, 2, 2}))
      .Expect(MakeTensor<int32_t>({6}, {5, 1, 0, 0, 3, 0}))
      .Expect(MakeTensor<int64_t>({2}, {3, 4}))
      .Run();
}

TEST(SparseAdd, Malformed) {
  OfMatrix("SparseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<float>({4}, {5, 2, 0.5, -4.05000019}))
      .Input(MakeTensor<int64_t>({2}, {3, 5}))
      .Input(MakeTensor<float>({}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "shapes");
  OfMatrix("SparseAdd")
      .Input(MakeTensor<int64_t>({4, 1}, {0, 0, 1, 2}))
      .Input(MakeTensor<float>({4}, {5, 2, 0.5, -4.05000019}))
      .Input(MakeTensor<int64_t>({1}, {3}))
      .Input(MakeTensor<float>({}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "ranks");
  OfMatrix("SparseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<float>({2}, {5, 2}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "Number of values");
}

TEST(SparseAddGrad, Float) {
  OpTest("SparseAddGrad")
      .Input(MakeTensor<float>({4}, {1, 2, 3, 4}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 1, 1, 2, 0}))
      .Expect(MakeTensor<float>({4}, {2, 0, 4, 0}))
      .Expect(MakeTensor<float>({4}, {1, 0, 3, 0}))
      .Run();
}

TEST(SparseTensorDenseAdd, Float) {
  OfMatrix("SparseTensorDenseAdd")
      .Input(MakeTensor<float>({3, 4}, {0.0500000007, 0.5, -1, 0.689999998, -0.419999987,
          -1.58000004, -0.649999976, 0.600000024, 0.330000013, -1.14999998, 0.620000005,
          -0.0900000036}))
      .Expect(MakeTensor<float>({3, 4}, {0.0500000007, 1.5, -1, -1.30999994, -0.419999987,
          -1.58000004, -0.649999976, 0.600000024, 3.32999992, -1.14999998, 4.61999989,
          -0.0900000036}))
      .Run();
}

TEST(SparseTensorDenseAdd, Malformed) {
  OpTest("SparseTensorDenseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 4}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({3, 4}, {0.430000007, 0.330000013, -1.15999997, 0.349999994,
          -0.610000014, 1.54999995, 0.720000029, 0.0500000007, -0.980000019, 0.0500000007,
          0.159999996, -1.21000004}))
      .RunExpectingError(Code::kInvalidArgument, "out of bounds");
  OfMatrix("SparseTensorDenseAdd")
      .Input(MakeTensor<float>({4, 4}, {2.22000003, 0.389999986, 1.69000006, -1.11000001,
          1.63999999, -1.36000001, -0.649999976, 0.540000021, 0.0500000007, -2.3599999,
          -1.11000001, 0.839999974, 2.08999991, 0.910000026, -0.280000001, 0.800000012}))
      .RunExpectingError(Code::kInvalidArgument, "do not match");
}

TEST(SparseSparseMaximum, Float) {
  OfMatrix("SparseSparseMaximum")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<float>({4}, {5, 2, 0.5, -4.05000019}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Expect(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 0, 3, 1, 1, 2, 0, 2, 2}))
      .Expect(MakeTensor<float>({6}, {5, 1, 2, 0.5, 3, 4}))
      .Run();
}

TEST(SparseSparseMinimum, Int) {
  OpTest("SparseSparseMinimum")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int32_t>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 3, 1, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({4}, {5, 2, 0, -4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Expect(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 0, 3, 1, 1, 2, 0, 2, 2}))
      .Expect(MakeTensor<int32_t>({6}, {0, 0, -2, 0, 0, -4}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
