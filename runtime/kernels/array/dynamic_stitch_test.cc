#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Stitches() {
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    OpTest(op)
        .Input(MakeTensor<int32_t>({2}, {0, 3}))
        .Input(MakeTensor<int32_t>(Shape{}, {1}))
        .Input(MakeTensor<T>({2, 2}, {1, 2, 3, 4}))
        .Input(MakeTensor<T>({2}, {5, 6}))
        .Attr("N", int64_t{2})
        .Expect(MakeTensor<T>({4, 2}, {1, 2, 5, 6, 0, 0, 3, 4}))
        .Run();
  }
}

TEST(DynamicStitch, Float) { Stitches<float>(); }
TEST(DynamicStitch, Double) { Stitches<double>(); }
TEST(DynamicStitch, Half) { Stitches<Half>(); }
TEST(DynamicStitch, Int8) { Stitches<int8_t>(); }

TEST(DynamicStitch, LaterSlicesWin) {
  OpTest("DynamicStitch")
      .Input(MakeTensor<int32_t>({2}, {0, 0}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Attr("N", int64_t{1})
      .Expect(MakeTensor<float>({1}, {2}))
      .Run();
}

TEST(DynamicStitch, RejectsWhatDoesNotFit) {
  OpTest("DynamicStitch")
      .Input(MakeTensor<int32_t>({1}, {-1}))
      .Input(MakeTensor<float>({1}, {1}))
      .Attr("N", int64_t{1})
      .RunExpectingError(Code::kInvalidArgument, "negative");
  OpTest("DynamicStitch")
      .Input(MakeTensor<int32_t>({2}, {0, 1}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .Attr("N", int64_t{1})
      .RunExpectingError(Code::kInvalidArgument, "");
}

template <typename T>
void DealsOut() {
  OpTest("DynamicPartition")
      .Input(MakeTensor<T>({3, 2}, {1, 2, 3, 4, 5, 6}))
      .Input(MakeTensor<int32_t>({3}, {1, 0, 1}))
      .Attr("num_partitions", int64_t{3})
      .Expect(MakeTensor<T>({1, 2}, {3, 4}))
      .Expect(MakeTensor<T>({2, 2}, {1, 2, 5, 6}))
      .Expect(MakeTensor<T>({0, 2}, {}))
      .Run();
}

TEST(DynamicPartition, Float) { DealsOut<float>(); }
TEST(DynamicPartition, Double) { DealsOut<double>(); }
TEST(DynamicPartition, BFloat16) { DealsOut<BFloat16>(); }
TEST(DynamicPartition, Uint8) { DealsOut<uint8_t>(); }

TEST(DynamicPartition, RejectsAPartThatIsNotThere) {
  for (const double part : {-1.0, 2.0}) {
    OpTest("DynamicPartition")
        .Input(MakeTensor<float>({1}, {1}))
        .Input(MakeTensor<int32_t>({1}, {part}))
        .Attr("num_partitions", int64_t{2})
        .RunExpectingError(Code::kInvalidArgument, "partitions[0]");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
