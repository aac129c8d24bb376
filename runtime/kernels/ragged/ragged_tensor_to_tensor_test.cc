#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Names = std::vector<std::string>;

OpTest ToTensor(const Tensor& shape, const Tensor& values, const Tensor& fallback,
                const std::vector<Tensor>& partitions, const Names& types) {
  OpTest test("RaggedTensorToTensor");
  test.Input(shape).Input(values).Input(fallback);
  for (const Tensor& partition : partitions) test.Input(partition);
  test.Attr("num_row_partition_tensors", static_cast<int64_t>(partitions.size()));
  return test.Attr("row_partition_types", types);
}
Tensor Ints(const std::vector<int64_t>& values) { return Tensor::Vector<int64_t>(values); }
Tensor Number(int64_t value) { return Tensor::Scalar<int64_t>(value); }
// Rows [1], [], [2, 3].
OpTest ThreeRows(const Tensor& shape) {
  return ToTensor(shape, Tensor::Vector<float>({1, 2, 3}), Tensor::Scalar<float>(9),
                  {Ints({0, 1, 1, 3})}, {"ROW_SPLITS"});
}

TEST(RaggedTensorToTensor, FillsUpAndCutsOff) {
  const Tensor whole = MakeTensor<float>({3, 2}, {1, 9, 9, 9, 2, 3});
  ThreeRows(Ints({-1, -1})).Expect(whole).Run();
  ThreeRows(Number(-1)).Expect(whole).Run();
  ThreeRows(Ints({4, 1})).Expect(MakeTensor<float>({4, 1}, {1, 9, 2, 9})).Run();
  ThreeRows(Ints({2, -1})).Expect(MakeTensor<float>({2, 2}, {1, 9, 9, 9})).Run();
  ThreeRows(Ints({-1, 0})).Expect(MakeTensor<float>({3, 0}, {})).Run();
  ToTensor(Ints({-1, -1}), Tensor::Strings({3}, {"a", "b", "c"}), Tensor::Strings({}, {"-"}),
           {Number(3), Ints({0, 2, 2})}, {"FIRST_DIM_SIZE", "VALUE_ROWIDS"})
      .Expect(Tensor::Strings({3, 2}, {"a", "-", "-", "-", "b", "c"})).Run();
}

TEST(RaggedTensorToTensor, FillsNestedRows) {
  // [[[1], []], [], [[2, 3]]], by splits and by rows of values.
  const Tensor whole = MakeTensor<float>({3, 2, 2}, {1, 9, 9, 9, 9, 9, 9, 9, 2, 3, 9, 9});
  const Tensor values = Tensor::Vector<float>({1, 2, 3}), nine = Tensor::Scalar<float>(9);
  ToTensor(Number(-1), values, nine, {Ints({0, 2, 2, 3}), Ints({0, 1, 1, 3})},
           {"ROW_SPLITS", "ROW_SPLITS"}).Expect(whole).Run();
  ToTensor(Number(-1), values, nine, {Number(3), Ints({0, 0, 2}), Ints({0, 2, 2})},
           {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"}).Expect(whole).Run();
  // Values that are vectors, and a default that is stretched to one.
  ToTensor(Ints({-1, -1, 2}), MakeTensor<float>({2, 2}, {1, 2, 3, 4}), Tensor::Vector<float>({7, 8}),
           {Ints({0, 2, 2})}, {"ROW_SPLITS"})
      .Expect(MakeTensor<float>({2, 2, 2}, {1, 2, 3, 4, 7, 8, 7, 8})).Run();
}

TEST(RaggedTensorToTensor, RefusesPartitionsThatAreNone) {
  const auto refused = [](const std::vector<Tensor>& partitions, const Names& types,
                          const std::string& why) {
    ToTensor(Number(-1), Tensor::Vector<float>({1, 2, 3}), Tensor::Scalar<float>(9), partitions, types)
        .RunExpectingError(Code::kInvalidArgument, why);
  };
  const Names splits = {"ROW_SPLITS"}, ids = {"FIRST_DIM_SIZE", "VALUE_ROWIDS"};
  refused({Ints({0, 1, int64_t{1} << 60})}, splits, "values and not 3");
  refused({Ints({0, 2, 1, 3})}, splits, "1 comes after 2");
  refused({Ints({0, 2}), Ints({0, 1, 1, 3})}, {"ROW_SPLITS", "ROW_SPLITS"}, "of 3 rows and not of 2");
  refused({Number(2), Ints({0, 0, 2})}, ids, "value_rowids[2] = 2 is not in [0, 2)");
  refused({Number(3), Ints({1, 0, 2})}, ids, "value_rowids[1] = 0 is not in [1, 3)");
  refused({Number(3), Ints({0, 0})}, ids, "has 2 values and not 3");
  refused({Number(-1), Ints({0, 0, 0})}, ids, "must be >= 0");
  refused({Ints({0, 3})}, {"X"}, "Unknown string for partition info type: X");
  refused({Ints({0, 3})}, {"VALUE_ROWIDS"}, "begin with ROW_SPLITS");
  refused({Ints({0, 3})}, {}, "No row_partition_types given");
}

TEST(RaggedTensorToTensor, RefusesShapesThatDoNotFit) {
  ThreeRows(Number(3)).RunExpectingError(Code::kInvalidArgument, "The only valid scalar shape is -1");
  ThreeRows(Ints({-1})).RunExpectingError(Code::kInvalidArgument, "shape has 1 dimensions");
  ThreeRows(Ints({-2, 1})).RunExpectingError(Code::kInvalidArgument, "must be >= -1");
  ThreeRows(Ints({int64_t{1} << 30, int64_t{1} << 30}))
      .RunExpectingError(Code::kInvalidArgument, "");
  const Tensor values = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const std::vector<Tensor> rows = {Ints({0, 3})};
  ToTensor(Ints({-1, -1, 3}), values, Tensor::Scalar<float>(0), rows, {"ROW_SPLITS"})
      .RunExpectingError(Code::kInvalidArgument, "dimension 2 of shape is 3, and the values have 2");
  ToTensor(Number(-1), values, MakeTensor<float>({2, 1}, {7, 8}), rows, {"ROW_SPLITS"})
      .RunExpectingError(Code::kInvalidArgument, "cannot be stretched");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
