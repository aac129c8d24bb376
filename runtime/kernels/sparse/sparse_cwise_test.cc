// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(SparseDenseCwiseAdd, Stretched) {
  OpTest("SparseDenseCwiseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({3, 4}, {-1.13999999, 0.50999999, -1.35000002, -0.00999999978,
          -0.129999995, 0.800000012, -0.300000012, 1.20000005, -0.200000003, 0.839999974,
          0.790000021, -1.84000003}))
      .Expect(MakeTensor<float>({4}, {1.50999999, -2.00999999, 2.79999995, 4.78999996}))
      .Run();
  OpTest("SparseDenseCwiseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({4}, {0.0399999991, 0.0399999991, -0.779999971, 0.180000007}))
      .Expect(MakeTensor<float>({4}, {1.03999996, -1.81999993, 3.03999996, 3.22000003}))
      .Run();
  OpTest("SparseDenseCwiseAdd")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({3, 1}, {-1.46000004, 0.560000002, 0.50999999}))
      .Expect(MakeTensor<float>({4}, {-0.460000038, -3.46000004, 3.50999999, 4.51000023}))
      .Run();
}

TEST(SparseDenseCwiseMul, Stretched) {
  OpTest("SparseDenseCwiseMul")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({3, 4}, {0.300000012, 2.48000002, 0.349999994, 0.0700000003,
          -0.730000019, 0.300000012, -0.959999979, 1.26999998, -0.649999976, 0.159999996,
          1.99000001, 1.15999997}))
      .Expect(MakeTensor<float>({4}, {2.48000002, -0.140000001, -1.94999993, 7.96000004}))
      .Run();
  OpTest("SparseDenseCwiseMul")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({4}, {0.239999995, 1.38, -0.0500000007, 0.800000012}))
      .Expect(MakeTensor<float>({4}, {1.38, -1.60000002, 0.719999969, -0.200000003}))
      .Run();
  OpTest("SparseDenseCwiseMul")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({3, 1}, {0.0199999996, -0.910000026, 0.430000007}))
      .Expect(MakeTensor<float>({4}, {0.0199999996, -0.0399999991, 1.28999996, 1.72000003}))
      .Run();
}

TEST(SparseDenseCwiseDiv, Stretched) {
  OpTest("SparseDenseCwiseDiv")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({3, 4}, {0.930000007, -0.349999994, -1.10000002, -0.529999971,
          -2.38000011, -0.610000014, -1.08000004, 2.01999998, -0.560000002, -1.53999996,
          0.870000005, -0.180000007}))
      .Expect(MakeTensor<float>({4}, {-2.85714293, 3.77358508, -5.35714293, 4.59770107}))
      .Run();
  OpTest("SparseDenseCwiseDiv")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({4}, {0.0500000007, 0.189999998, 0.209999993, -0.370000005}))
      .Expect(MakeTensor<float>({4}, {5.26315784, 5.40540552, 60, 19.0476189}))
      .Run();
  OpTest("SparseDenseCwiseDiv")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({3, 1}, {0.949999988, 0.519999981, -0.5}))
      .Expect(MakeTensor<float>({4}, {1.05263162, -2.10526323, -6, -8}))
      .Run();
}

TEST(SparseDenseCwiseDiv, Malformed) {
  OpTest("SparseDenseCwiseDiv")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<int32_t>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int32_t>({4}, {0, 0, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "zero");
  OpTest("SparseDenseCwiseMul")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({2}, {-0.170000002, -0.939999998}))
      .RunExpectingError(Code::kInvalidArgument, "broadcasts");
  OpTest("SparseDenseCwiseMul")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 4}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<float>({4}, {0.280000001, 0.74000001, 0.649999976, 0.610000014}))
      .RunExpectingError(Code::kInvalidArgument, "out of bounds");
}

TEST(SparseSoftmax, Float) {
  OpTest("SparseSoftmax")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Expect(MakeTensor<float>({4}, {0.952574134, 0.0474258736, 0.268941432, 0.731058598}))
      .Run();
}

TEST(SparseSoftmax, Malformed) {
  OpTest("SparseSoftmax")
      .Input(MakeTensor<int64_t>({4, 1}, {0, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({1}, {3}))
      .RunExpectingError(Code::kInvalidArgument, "rank >= 2");
  OpTest("SparseSoftmax")
      .Input(MakeTensor<int64_t>({4, 2}, {2, 2, 2, 0, 0, 3, 0, 1}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .RunExpectingError(Code::kInvalidArgument, "out of order");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
