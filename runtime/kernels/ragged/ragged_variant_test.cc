#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Splits = std::vector<Tensor>;

OpTest ToVariant(const Splits& splits, const Tensor& values, bool batched) {
  OpTest test("RaggedTensorToVariant");
  for (const Tensor& some : splits) test.Input(some);
  return test.Input(values).Attr("RAGGED_RANK", static_cast<int64_t>(splits.size()))
      .Attr("batched_input", batched);
}
Tensor Encoded(const Splits& splits, const Tensor& values, bool batched) {
  const auto made = ToVariant(splits, values, batched).RunOnCpu();
  EXPECT_OK(made.status());
  return (*made)[0];
}
OpTest FromVariant(const Tensor& encoded, int64_t input_rank, int64_t output_rank,
                   DType values = DType::kFloat) {
  return OpTest("RaggedTensorFromVariant").Input(encoded).Attr("input_ragged_rank", input_rank)
      .Attr("output_ragged_rank", output_rank).Attr("Tvalues", values);
}

// [[1, 2], [], [3]], and [[[1], [2, 3]], [], [[]]].
Splits Rows() { return {Tensor::Vector<int64_t>({0, 2, 2, 3})}; }
Splits RowsOfRows() {
  return {Tensor::Vector<int64_t>({0, 2, 2, 3}), Tensor::Vector<int64_t>({0, 1, 3, 3})};
}
Tensor Values() { return Tensor::Vector<float>({1, 2, 3}); }

TEST(RaggedVariant, WholeTensorsComeBack) {
  const Tensor whole = Encoded(RowsOfRows(), Values(), false);
  EXPECT_EQ(whole.shape(), Shape{});
  for (const int64_t rank : {-1, 2}) {
    FromVariant(whole, rank, 2).Expect(RowsOfRows()[0]).Expect(RowsOfRows()[1]).Expect(Values()).Run();
  }
  FromVariant(Encoded({}, Tensor::Scalar<float>(7), false), 0, 0)
      .Expect(Tensor::Scalar<float>(7)).Run();
}

TEST(RaggedVariant, RowsAreElementsOfTheirOwn) {
  const Tensor words = Tensor::Strings({3}, {"a", "b", "c"});
  const Tensor rows = Encoded(Rows(), words, true);
  EXPECT_EQ(rows.shape(), Shape{3});
  FromVariant(rows, 0, 1, DType::kString).Expect(Rows()[0]).Expect(words).Run();
  const Tensor nested = Encoded(RowsOfRows(), Values(), true);
  FromVariant(nested, 1, 2).Expect(RowsOfRows()[0]).Expect(RowsOfRows()[1]).Expect(Values()).Run();
  Tensor last = *Tensor::Allocate(CpuAllocator(), DType::kVariant, Shape{});
  *last.mutable_data<Variant>() = nested.data<Variant>()[0];
  FromVariant(last, -1, 1).Expect(Tensor::Vector<int64_t>({0, 1, 3})).Expect(Values()).Run();
  // Rows of a tensor without ragged dimensions.
  const Tensor matrix = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  FromVariant(Encoded({}, matrix, true), 0, 1).Expect(Tensor::Vector<int64_t>({0, 2, 4, 6}))
      .Expect(Tensor::Vector<float>({1, 2, 3, 4, 5, 6})).Run();
}

TEST(RaggedVariant, BatchesOfBatchesHaveEvenRows) {
  Tensor square = *Tensor::Allocate(CpuAllocator(), DType::kVariant, Shape{2, 2});
  const Tensor rows = Encoded(Rows(), Values(), true);
  for (const int64_t at : {0, 1, 2, 3}) {
    square.mutable_data<Variant>()[at] = rows.data<Variant>()[at % 3];
  }
  FromVariant(square, 0, 2).Expect(Tensor::Vector<int64_t>({0, 2, 4}))
      .Expect(Tensor::Vector<int64_t>({0, 2, 2, 3, 5})).Expect(Tensor::Vector<float>({1, 2, 3, 1, 2}))
      .Run();
  const Tensor none = *Tensor::Allocate(CpuAllocator(), DType::kVariant, Shape{2, 0});
  FromVariant(none, -1, 3).Expect(Tensor::Vector<int64_t>({0, 0, 0}))
      .Expect(Tensor::Vector<int64_t>({0})).Expect(Tensor::Vector<int64_t>({0}))
      .Expect(Tensor::Vector<float>({})).Run();
}

TEST(RaggedVariant, RefusesWhatDoesNotFit) {
  const auto refused = [](OpTest test, const std::string& why) {
    test.RunExpectingError(Code::kInvalidArgument, why);
  };
  refused(ToVariant({Tensor::Vector<int64_t>({0, 4})}, Values(), true), "the last one is 4");
  refused(ToVariant({}, Tensor::Scalar<float>(1), true), "one dimension at least");
  const Tensor whole = Encoded(Rows(), Values(), false);
  refused(FromVariant(whole, 1, 2), "output_ragged_rank is 2");
  refused(FromVariant(whole, 0, 0), "has 1 ragged dimensions, not 0");
  refused(FromVariant(whole, 1, 1, DType::kInt32), "has values of float, not int32");
  refused(FromVariant(whole, 1, 1).Attr("Tsplits", DType::kInt32), "has row_splits of int64");
  const Tensor empty = *Tensor::Allocate(CpuAllocator(), DType::kVariant, Shape{1});
  refused(FromVariant(empty, 0, 1), "element 0 holds no ragged tensor");
  refused(FromVariant(Encoded({}, Values(), true), 0, 1), "a scalar, which has no rows");
  Tensor mixed = *Tensor::Allocate(CpuAllocator(), DType::kVariant, Shape{2});
  mixed.mutable_data<Variant>()[0] = *whole.data<Variant>();
  const Tensor wide = MakeTensor<float>({3, 1}, {1, 2, 3});
  mixed.mutable_data<Variant>()[1] = *Encoded(Rows(), wide, false).data<Variant>();
  refused(FromVariant(mixed, 1, 2), "compatible shapes");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
