// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// Two sparse columns, of words and of numbers, and a dense one of words.
OpTest OfThree(bool hashed, int64_t buckets) {
  OpTest test("SparseCross");
  test.Input(MakeTensor<int64_t>({3, 2}, {0, 0, 0, 1, 2, 0}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 1, 0, 2, 0, 2, 2}))
      .Input(Tensor::Strings(Shape{3}, {"a", "b", "c"}))
      .Input(MakeTensor<int64_t>({4}, {7, -3, 5, 11}))
      .Input(MakeTensor<int64_t>({2}, {3, 2}))
      .Input(MakeTensor<int64_t>({2}, {3, 3}))
      .Input(Tensor::Strings(Shape{3, 1}, {"u", "v", "w"}))
      .Attr("N", int64_t{2})
      .Attr("hashed_output", hashed)
      .Attr("num_buckets", buckets)
      .Attr("hash_key", int64_t{0xDECAFCAFFE})
      .Attr("sparse_types", std::vector<DType>{DType::kString, DType::kInt64})
      .Attr("dense_types", std::vector<DType>{DType::kString})
      .Attr("out_type", hashed ? DType::kInt64 : DType::kString)
      .Attr("internal_type", DType::kString);
  return test;
}

const Tensor& Places() {
  static const Tensor* places =
      new Tensor(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 2, 0, 2, 1}));
  return *places;
}

TEST(SparseCross, Words) {
  OfThree(false, 0)
      .Expect(Places())
      .Expect(Tensor::Strings(Shape{4}, {"a_X_7_X_u", "b_X_7_X_u", "c_X_5_X_w", "c_X_11_X_w"}))
      .Expect(MakeTensor<int64_t>({2}, {3, 2}))
      .Run();
}

TEST(SparseCross, Hashes) {
  OfThree(true, 0)
      .Expect(Places())
      .Expect(Tensor::Vector<int64_t>({8178743432911872931, 1856181483394925265,
                                       6403778704670078726, 8215210666786078435}))
      .Expect(MakeTensor<int64_t>({2}, {3, 2}))
      .Run();
  OfThree(true, 100)
      .Expect(Places())
      .Expect(MakeTensor<int64_t>({4}, {31, 65, 33, 35}))
      .Expect(MakeTensor<int64_t>({2}, {3, 2}))
      .Run();
}

// A cross of one sparse column alone.
OpTest OfOne(const Tensor& indices, const Tensor& values, const Tensor& shape) {
  OpTest test("SparseCross");
  test.Input(indices)
      .Input(values)
      .Input(shape)
      .Attr("N", int64_t{1})
      .Attr("hashed_output", true)
      .Attr("num_buckets", int64_t{10})
      .Attr("hash_key", int64_t{1})
      .Attr("sparse_types", std::vector<DType>{DType::kInt64})
      .Attr("dense_types", std::vector<DType>{})
      .Attr("out_type", DType::kInt64)
      .Attr("internal_type", DType::kString);
  return test;
}

TEST(SparseCross, MoreRowsThanAnybodyHas) {
  OfOne(MakeTensor<int64_t>({0, 2}, {}), MakeTensor<int64_t>({0}, {}),
        Tensor::Vector<int64_t>({int64_t{1} << 60, 1}))
      .Expect(MakeTensor<int64_t>({0, 2}, {}))
      .Expect(MakeTensor<int64_t>({0}, {}))
      .Expect(Tensor::Vector<int64_t>({int64_t{1} << 60, 0}))
      .Run();
}

TEST(SparseCross, RefusesOtherTypes) {
  OpTest("SparseCross")
      .Input(MakeTensor<float>({1, 1}, {1}))
      .Attr("N", int64_t{0})
      .Attr("hashed_output", true)
      .Attr("num_buckets", int64_t{10})
      .Attr("hash_key", int64_t{1})
      .Attr("sparse_types", std::vector<DType>{})
      .Attr("dense_types", std::vector<DType>{DType::kFloat})
      .Attr("out_type", DType::kInt64)
      .Attr("internal_type", DType::kString)
      .RunExpectingError(Code::kInvalidArgument, "dense_types");
}

TEST(SparseCross, RefusesTypesOfOtherColumns) {
  OpTest("SparseCross")
      .Input(MakeTensor<int64_t>({1, 2}, {0, 0}))
      .Input(MakeTensor<int64_t>({1, 2}, {0, 0}))
      .Input(MakeTensor<int64_t>({2}, {1, 1}))
      .Input(MakeTensor<int64_t>({2}, {1, 1}))
      .Attr("N", int64_t{2})
      .Attr("hashed_output", true)
      .Attr("num_buckets", int64_t{10})
      .Attr("hash_key", int64_t{1})
      .Attr("sparse_types", std::vector<DType>{})
      .Attr("dense_types", std::vector<DType>{})
      .Attr("out_type", DType::kInt64)
      .Attr("internal_type", DType::kString)
      .RunExpectingError(Code::kInvalidArgument, "2 sparse columns and values for 0");
}

TEST(SparseCross, RefusesWhatIsNoColumn) {
  const Tensor values = MakeTensor<int64_t>({2}, {1, 2}), shape = MakeTensor<int64_t>({2}, {2, 1});
  OfOne(MakeTensor<int64_t>({2, 2}, {1, 0, 0, 0}), values, shape)
      .RunExpectingError(Code::kInvalidArgument, "out of order");
  OfOne(MakeTensor<int64_t>({2, 2}, {0, 0, 2, 0}), values, shape)
      .RunExpectingError(Code::kInvalidArgument, "row 2 of 2");
  OfOne(MakeTensor<int64_t>({1, 2}, {0, 0}), values, shape)
      .RunExpectingError(Code::kInvalidArgument, "Expected 1 values");
  OfOne(MakeTensor<int64_t>({2, 2}, {0, 0, 1, 0}), values, MakeTensor<int64_t>({1}, {2}))
      .RunExpectingError(Code::kInvalidArgument, "2D tensor");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
