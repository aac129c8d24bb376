#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest ToSparse(const std::vector<Tensor>& splits, const Tensor& values) {
  OpTest test("RaggedTensorToSparse");
  for (const Tensor& some : splits) test.Input(some);
  return test.Input(values).Attr("RAGGED_RANK", static_cast<int64_t>(splits.size()));
}

TEST(RaggedTensorToSparse, ReturnsWhereValuesStand) {
  ToSparse({Tensor::Vector<int32_t>({0, 2, 2, 3})}, Tensor::Strings({3}, {"a", "b", "c"}))
      .Expect(MakeTensor<int64_t>({3, 2}, {0, 0, 0, 1, 2, 0}))
      .Expect(Tensor::Strings({3}, {"a", "b", "c"})).Expect(Tensor::Vector<int64_t>({3, 2})).Run();
  // Two ragged dimensions, empty rows in both, and values that are vectors.
  ToSparse({Tensor::Vector<int64_t>({0, 0, 2, 3}), Tensor::Vector<int64_t>({0, 1, 1, 2})},
           MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
      .Expect(MakeTensor<int64_t>({4, 4}, {1, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 0, 2, 0, 0, 1}))
      .Expect(Tensor::Vector<float>({1, 2, 3, 4})).Expect(Tensor::Vector<int64_t>({3, 2, 1, 2})).Run();
}

TEST(RaggedTensorToSparse, RefusesSplitsThatAreNone) {
  const Tensor values = Tensor::Vector<float>({1, 2, 3});
  const auto refused = [&](const std::vector<Tensor>& splits, const std::string& why) {
    ToSparse(splits, values).RunExpectingError(Code::kInvalidArgument, why);
  };
  refused({Tensor::Vector<int64_t>({})}, "there must be one number at least");
  refused({Tensor::Vector<int64_t>({1, 3})}, "the first one must be 0, not 1");
  refused({Tensor::Vector<int64_t>({0, 2, 1, 3})}, "1 comes after 2");
  refused({Tensor::Vector<int64_t>({0, int64_t{1} << 60})}, "for 3 values");
  refused({Tensor::Vector<int64_t>({0, 3}), Tensor::Vector<int64_t>({0, 3})}, "for 1 values");
  refused({MakeTensor<int64_t>({1, 2}, {0, 3})}, "row_splits");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
