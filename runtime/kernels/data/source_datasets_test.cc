#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Sliced(const std::vector<Tensor>& components) {
  OpTest test("TensorSliceDataset");
  std::vector<DType> types;
  std::vector<PartialShape> shapes(components.size());
  for (const Tensor& component : components) {
    test.Input(component);
    types.push_back(component.dtype());
  }
  return test.Attr("Toutput_types", types).Attr("output_shapes", shapes);
}

TEST(SourceDatasets, ATensorIsOneElement) {
  OpTest test("TensorDataset");
  test.Input(MakeTensor<int64_t>({2}, {3, 4})).Attr("Toutput_types", std::vector<DType>{DType::kInt64});
  const Tensor dataset =
      DatasetOf(test.Attr("output_shapes", std::vector<PartialShape>{PartialShape({2})}));
  EXPECT_EQ(Numbers(dataset), "3 4");
  EXPECT_EQ(CardinalityOf(dataset), 1);
}

TEST(SourceDatasets, SlicesAreRows) {
  const Tensor dataset = DatasetOf(Sliced({MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}),
                                           Tensor::Strings({3}, {"a", "b", "c"})}));
  const auto elements = ReadAll(dataset);
  ASSERT_OK(elements);
  EXPECT_EQ(elements->size(), size_t{3});
  ExpectClose((*elements)[1][0], MakeTensor<float>({2}, {3, 4}), Ulps(0));
  EXPECT_EQ(*(*elements)[2][1].data<std::string>(), "c");
  Sliced({Tensor::Scalar<float>(1)}).RunExpectingError(Code::kInvalidArgument, "at least 1-dim");
  Sliced({MakeTensor<float>({1}, {1}), MakeTensor<float>({2}, {1, 2})})
      .RunExpectingError(Code::kInvalidArgument, "same size in the 0th dimension");
}

TEST(SourceDatasets, NumbersInARow) {
  const auto range = [](int64_t start, int64_t stop, int64_t step) {
    return DatasetOf(
        DatasetOpTest("RangeDataset").Input(Int(start)).Input(Int(stop)).Input(Int(step)));
  };
  EXPECT_EQ(Numbers(RangeOf(4)), "0 1 2 3");
  EXPECT_EQ(Numbers(range(7, 0, -3)), "7 4 1");
  EXPECT_EQ(Numbers(range(3, 3, 1)), "");
  EXPECT_EQ(CardinalityOf(range(INT64_MIN, INT64_MAX, INT64_MAX)), 3);  // nothing overflows
  EXPECT_EQ(CardinalityOf(range(0, 10, 3)), 4);
  DatasetOpTest("RangeDataset").Input(Int(0)).Input(Int(1)).Input(Int(0))
      .RunExpectingError(Code::kInvalidArgument, "non-zero");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
