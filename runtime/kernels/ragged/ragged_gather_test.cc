#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Gather(const std::vector<Tensor>& splits, const Tensor& values, const Tensor& indices) {
  OpTest test("RaggedGather");
  for (const Tensor& some : splits) test.Input(some);
  const int64_t levels = static_cast<int64_t>(splits.size());
  test.Input(values).Input(indices).Attr("PARAMS_RAGGED_RANK", levels);
  return test.Attr("OUTPUT_RAGGED_RANK", levels + indices.rank() - 1);
}
const std::vector<Tensor>& Rows() {
  static const std::vector<Tensor> rows = {Tensor::Vector<int64_t>({0, 1, 1, 3})};
  return rows;
}

TEST(RaggedGather, TakesRows) {
  const Tensor values = Tensor::Strings({3}, {"a", "b", "c"});
  Gather(Rows(), values, Tensor::Vector<int32_t>({2, 1, 0, 2}))
      .Expect(Tensor::Vector<int64_t>({0, 2, 2, 3, 5}))
      .Expect(Tensor::Strings({5}, {"b", "c", "a", "b", "c"})).Run();
  Gather(Rows(), values, MakeTensor<int32_t>({2, 1}, {2, 0}))
      .Expect(Tensor::Vector<int64_t>({0, 1, 2})).Expect(Tensor::Vector<int64_t>({0, 2, 3}))
      .Expect(Tensor::Strings({3}, {"b", "c", "a"})).Run();
  Gather(Rows(), values, Tensor::Scalar<int64_t>(2)).Expect(Tensor::Strings({2}, {"b", "c"})).Run();
  Gather(Rows(), values, Tensor::Vector<int32_t>({})).Expect(Tensor::Vector<int64_t>({0}))
      .Expect(Tensor::Strings({0}, {})).Run();
}

TEST(RaggedGather, TakesRowsOfRows) {
  const std::vector<Tensor> nested = {Tensor::Vector<int32_t>({0, 2, 3}),
                                      Tensor::Vector<int32_t>({0, 1, 3, 3})};
  const Tensor values = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  Gather(nested, values, Tensor::Vector<int64_t>({1, 0})).Attr("Tsplits", DType::kInt32)
      .Expect(Tensor::Vector<int32_t>({0, 1, 3})).Expect(Tensor::Vector<int32_t>({0, 0, 1, 3}))
      .Expect(values).Run();
  Gather(nested, values, Tensor::Scalar<int64_t>(0)).Attr("Tsplits", DType::kInt32)
      .Expect(Tensor::Vector<int32_t>({0, 1, 3})).Expect(values).Run();
}

TEST(RaggedGather, RefusesRowsThatAreNone) {
  const Tensor values = Tensor::Vector<float>({1, 2, 3});
  for (const int32_t outside : {-1, 3}) {
    Gather(Rows(), values, Tensor::Vector<int32_t>({0, outside}))
        .RunExpectingError(Code::kInvalidArgument, StrCat("indices[1] = ", outside, " is not in [0, 3)"));
  }
  Gather({Tensor::Vector<int64_t>({0, 1, 4})}, values, Tensor::Vector<int32_t>({1}))
      .RunExpectingError(Code::kInvalidArgument, "the last one is 4 for 3 values");
  Gather(Rows(), values, Tensor::Vector<int32_t>({1})).Attr("OUTPUT_RAGGED_RANK", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "OUTPUT_RAGGED_RANK is 2");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
