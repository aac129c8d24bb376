#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// Vectors of 1, 2 and 3 elements, as a dataset.
Tensor Vectors() {
  Tensor all;
  for (int64_t size = 1; size <= 3; ++size) {
    OpTest one("TensorDataset");
    one.Input(MakeTensor<int64_t>({size}, std::vector<double>(static_cast<size_t>(size), 7)));
    one.Attr("Toutput_types", std::vector<DType>{DType::kInt64});
    const Tensor made = DatasetOf(one.Attr("output_shapes", std::vector<PartialShape>(1)));
    const ElementSpec spec{{DType::kInt64}, {PartialShape()}};
    all = size == 1 ? made
                    : DatasetOf(DatasetOpTest("ConcatenateDataset", spec).Input(all).Input(made));
  }
  return all;
}

OpTest Padded(int64_t size, const Tensor& shape) {
  return OpTest("PaddedBatchDatasetV2").Input(Vectors()).Input(Int(size)).Input(shape)
      .Input(Int(-1)).Input(Tensor::Scalar<bool>(false)).Attr("N", int64_t{1})
      .Attr("Toutput_types", std::vector<DType>{DType::kInt64})
      .Attr("output_shapes", std::vector<PartialShape>(1));
}

TEST(PaddedBatchDataset, PadsToTheLargestOrAsAsked) {
  const Tensor any = MakeTensor<int64_t>({1}, {-1});
  EXPECT_EQ(Numbers(DatasetOf(Padded(3, any))), "7 -1 -1 7 7 -1 7 7 7");
  EXPECT_EQ(Numbers(DatasetOf(Padded(2, any))), "7 -1 7 7 7 7 7");
  EXPECT_EQ(Numbers(DatasetOf(Padded(1, MakeTensor<int64_t>({1}, {3})))), "7 -1 -1 7 7 -1 7 7 7");
  EXPECT_ERROR(ReadAll(DatasetOf(Padded(3, MakeTensor<int64_t>({1}, {2})))), Code::kDataLoss,
               "smaller size");
  EXPECT_ERROR(ReadAll(DatasetOf(Padded(3, MakeTensor<int64_t>({2}, {-1, -1})))),
               Code::kInvalidArgument, "same rank");
  Padded(0, any).RunExpectingError(Code::kInvalidArgument, "greater than zero");
  Padded(2, MakeTensor<int64_t>({1}, {-2})).RunExpectingError(Code::kInvalidArgument, "-1, got -2");
  EXPECT_ERROR(ReadAll(DatasetOf(Padded(1, MakeTensor<int64_t>({1}, {1e18})))),
               Code::kInvalidArgument, "");
}

TEST(PaddedBatchDataset, TheFirstVersionKeepsTheRest) {
  const Tensor dataset = DatasetOf(
      OpTest("PaddedBatchDataset").Input(RangeOf(3)).Input(Int(2)).Input(Tensor::Vector<int64_t>({}))
          .Input(Int(0)).Attr("N", int64_t{1})
          .Attr("Toutput_types", std::vector<DType>{DType::kInt64})
          .Attr("output_shapes", std::vector<PartialShape>(1)));
  EXPECT_EQ(Numbers(dataset), "0 1 2");
  EXPECT_EQ(CardinalityOf(dataset), 2);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
