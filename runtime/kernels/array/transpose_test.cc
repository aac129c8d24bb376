#include <algorithm>
#include <numeric>

#include "tensor/complex.h"
#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// Element (i, j, ...) of the result is that element of x whose index i stands at perm[0] and so on.
template <typename T>
void MatchesTheDefinition(const std::vector<int64_t>& dims, const std::vector<int32_t>& perm) {
  const int64_t count = Shape::Make(dims)->num_elements();
  std::vector<double> x(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) x[static_cast<size_t>(i)] = static_cast<double>(i % 113);
  std::vector<int64_t> shape;
  for (const int32_t axis : perm) shape.push_back(dims[static_cast<size_t>(axis)]);
  std::vector<double> y;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> index(dims.size());
    int64_t rest = i;
    for (size_t k = perm.size(); k-- > 0; rest /= shape[k]) {
      index[static_cast<size_t>(perm[k])] = rest % shape[k];
    }
    int64_t at = 0;
    for (size_t k = 0; k < dims.size(); ++k) at = at * dims[k] + index[k];
    y.push_back(x[static_cast<size_t>(at)]);
  }
  OpTest("Transpose").Input(MakeTensor<T>(*Shape::Make(dims), x)).Input(Tensor::Vector(perm))
      .Expect(MakeTensor<T>(*Shape::Make(shape), y)).Run();
}

TEST(Transpose, EveryPermutation) {
  std::vector<int32_t> perm{0, 1, 2, 3};
  do {
    MatchesTheDefinition<float>({2, 3, 4, 5}, perm);
    MatchesTheDefinition<int8_t>({5, 1, 3, 2}, perm);
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(Transpose, EverySize) {
  MatchesTheDefinition<bool>({1, 1}, {1, 0});
  MatchesTheDefinition<Half>({40, 70}, {1, 0});
  MatchesTheDefinition<double>({33, 65}, {1, 0});
}

// A multiple of 1,024 bytes: there whole lines of the cache are read and written.
TEST(Transpose, RowsThatPushEachOtherOutOfTheCache) {
  MatchesTheDefinition<int8_t>({1024, 70}, {1, 0});
  MatchesTheDefinition<Half>({70, 512}, {1, 0});
  MatchesTheDefinition<float>({256, 333}, {1, 0});
  MatchesTheDefinition<float>({333, 512}, {1, 0});
  MatchesTheDefinition<float>({3, 77, 256}, {0, 2, 1});
  MatchesTheDefinition<double>({128, 65}, {1, 0});
  MatchesTheDefinition<std::complex<double>>({64, 9}, {1, 0});
}

// Tiles at the edges, and enough work for several threads.
TEST(Transpose, LargeMatricesAndImages) {
  MatchesTheDefinition<float>({515, 333}, {1, 0});
  MatchesTheDefinition<float>({4, 50, 60, 17}, {0, 3, 1, 2});
  MatchesTheDefinition<float>({4, 17, 50, 60}, {0, 2, 3, 1});
  MatchesTheDefinition<float>({30, 40, 50}, {2, 1, 0});
  MatchesTheDefinition<float>({30, 40, 50}, {1, 0, 2});
}

TEST(Transpose, Empty) {
  OpTest("Transpose").Input(MakeTensor<float>({0, 3}, {})).Input(Tensor::Vector<int32_t>({1, 0}))
      .Expect(MakeTensor<float>({3, 0}, {})).Run();
  OpTest("Transpose").Input(Tensor::Scalar(1.0f)).Input(Tensor::Vector<int32_t>({}))
      .Expect(Tensor::Scalar(1.0f)).Run();
}

TEST(Transpose, Rejects) {
  const Tensor x = MakeTensor<float>({1, 2}, {1, 2});
  const auto fails = [&x](const std::vector<int32_t>& perm, const std::string& part) {
    OpTest("Transpose").Input(x).Input(Tensor::Vector(perm))
        .RunExpectingError(Code::kInvalidArgument, part);
  };
  fails({0, 0}, "twice");
  fails({0, 2}, "out of range");
  fails({0}, "rank");
}

TEST(Transpose, InfersShapes) {
  InferShape known("Transpose");
  known.Input(DType::kFloat, {-1, 2, 3}).Input(Tensor::Vector<int32_t>({2, 0, 1}));
  EXPECT_EQ(*known.Infer(), PartialShape({3, -1, 2}));
  InferShape unknown("Transpose");
  unknown.Input(DType::kFloat, {4, 2}).Input(DType::kInt32, {2});
  EXPECT_EQ(*unknown.Infer(), PartialShape({-1, -1}));
  InferShape turned("Transpose"), counted("Transpose"), one("Transpose");
  turned.Input(DType::kFloat, PartialShape()).Input(Tensor::Vector<int32_t>({1, 0}));
  EXPECT_EQ(*turned.Infer(), PartialShape({-1, -1}));
  counted.Input(DType::kFloat, PartialShape()).Input(DType::kInt32, {3});
  EXPECT_EQ(*counted.Infer(), PartialShape({-1, -1, -1}));
  one.Input(DType::kFloat, PartialShape()).Input(Tensor::Vector<int32_t>({0}));
  EXPECT_EQ(*one.Infer(), PartialShape());
}

TEST(InvertPermutation, Inverts) {
  OpTest("InvertPermutation").Input(Tensor::Vector<int32_t>({2, 0, 1, 3}))
      .Expect(Tensor::Vector<int32_t>({1, 2, 0, 3})).Run();
  OpTest("InvertPermutation").Input(Tensor::Vector<int64_t>({1, 0}))
      .Expect(Tensor::Vector<int64_t>({1, 0})).Run();
}

TEST(InvertPermutation, Rejects) {
  OpTest("InvertPermutation").Input(Tensor::Vector<int32_t>({0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "duplicated");
  OpTest("InvertPermutation").Input(Tensor::Vector<int32_t>({0, 2}))
      .RunExpectingError(Code::kInvalidArgument, "not between");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
