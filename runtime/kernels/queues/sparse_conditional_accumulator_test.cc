#include "testing/reference_ops.h"

namespace tfbuild {
namespace testing {
namespace {

// An accumulator of pairs by row, used through its ops in one step.
class RowAccumulator {
 public:
  explicit RowAccumulator(const std::string& reduction = "MEAN")
      : ops_("SparseConditionalAccumulator", {{"dtype", DType::kFloat},
                                              {"shape", PartialShape{kUnknownDim, 2}},
                                              {"reduction_type", reduction}}) {}
  Status Apply(const std::vector<int64_t>& rows, const Tensor& values,
               const std::vector<int64_t>& shape = {}) {
    return ops_.Call("SparseAccumulatorApplyGradient",
                     {Tensor::Scalar<int64_t>(0), Tensor::Vector(rows), values,
                      Tensor::Vector(shape)},
                     {{"dtype", DType::kFloat}, {"has_known_shape", !shape.empty()}});
  }
  Status Take(int32_t count) {
    return ops_.Call("SparseAccumulatorTakeGradient", {Tensor::Scalar(count)},
                     {{"dtype", DType::kFloat}});
  }
  std::vector<double> taken(size_t output) const { return Values(ops_.output(output)); }
  int32_t count() {
    EXPECT_OK(ops_.Call("AccumulatorNumAccumulated", {}, {}));
    return *ops_.output(0).data<int32_t>();
  }

 private:
  ReferenceOps ops_;
};

using Numbers = std::vector<double>;

// Each row by how many gradients had it.
TEST(SparseConditionalAccumulator, Averages) {
  RowAccumulator of;
  EXPECT_OK(of.Apply({0, 2}, MakeTensor<float>({2, 2}, {1, 2, 3, 4}), {4, 2}));
  EXPECT_OK(of.Apply({0, 1}, MakeTensor<float>({2, 2}, {5, 6, 7, 8})));
  EXPECT_EQ(of.count(), 2);
  EXPECT_OK(of.Take(2));
  EXPECT_TRUE(of.taken(0) == (Numbers{0, 1, 2}));
  EXPECT_TRUE(of.taken(1) == (Numbers{3, 4, 7, 8, 3, 4}));
  EXPECT_TRUE(of.taken(2) == (Numbers{-1, 2}));
  EXPECT_EQ(of.count(), 0);
}

TEST(SparseConditionalAccumulator, AddsUp) {
  RowAccumulator of("SUM");
  EXPECT_OK(of.Apply({3}, MakeTensor<float>({1, 2}, {1, 2})));
  EXPECT_OK(of.Apply({3}, MakeTensor<float>({1, 2}, {5, 6})));
  EXPECT_OK(of.Take(1));
  EXPECT_TRUE(of.taken(1) == (Numbers{6, 8}));
}

TEST(SparseConditionalAccumulator, OfNoRows) {
  RowAccumulator of;
  EXPECT_OK(of.Apply({}, MakeTensor<float>({0, 2}, {})));
  EXPECT_OK(of.Take(1));
  EXPECT_TRUE(of.taken(0) == (Numbers{}));
}

TEST(SparseConditionalAccumulator, Refuses) {
  RowAccumulator of;
  const Tensor pair = MakeTensor<float>({1, 2}, {1, 2});
  EXPECT_TRUE(of.Take(0).code() == Code::kInvalidArgument);
  EXPECT_TRUE(of.Apply({1, 2}, pair).code() == Code::kInvalidArgument);
  EXPECT_TRUE(of.Apply({0}, MakeTensor<float>({1, 3}, {1, 2, 3})).code() == Code::kInvalidArgument);
  EXPECT_TRUE(of.Apply({0}, MakeTensor<float>(Shape{}, {1})).code() == Code::kInvalidArgument);
  EXPECT_TRUE(of.Apply({4}, pair, {4, 2}).code() == Code::kInvalidArgument);
  EXPECT_TRUE(of.Apply({1}, pair, {4, 3}).code() == Code::kInvalidArgument);
  EXPECT_EQ(of.count(), 0);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
