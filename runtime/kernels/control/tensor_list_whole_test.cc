#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Result<std::vector<Tensor>> Call(const std::string& op, std::vector<Tensor> inputs,
                                 AttrMap attrs = {}) {
  OpTest test(op);
  for (Tensor& input : inputs) test.Input(std::move(input));
  if (op != "TensorListLength") attrs["element_dtype"] = DType::kFloat;
  for (const auto& [name, value] : attrs) test.Attr(name, value);
  return test.RunOnCpu();
}

const Tensor kRows = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
Tensor Ints(const std::vector<double>& values) {
  return MakeTensor<int32_t>({static_cast<int64_t>(values.size())}, values);
}
Tensor Longs(const std::vector<double>& values) {
  return MakeTensor<int64_t>({static_cast<int64_t>(values.size())}, values);
}
Tensor Listed() { return (*Call("TensorListFromTensor", {kRows, Int(-1)}))[0]; }

TEST(TensorListWhole, RowsGoInAndComeOut) {
  const auto rows = Call("TensorListStack", {Listed(), Ints({2})});
  ASSERT_OK(rows);
  ExpectClose((*rows)[0], kRows, Ulps(0));
  const auto some = Call("TensorListGather", {Listed(), Ints({2, 0}), Int(-1)});
  ASSERT_OK(some);
  ExpectClose((*some)[0], MakeTensor<float>({2, 2}, {5, 6, 1, 2}), Ulps(0));
  EXPECT_ERROR(Call("TensorListGather", {Listed(), Ints({3}), Int(-1)}), Code::kInvalidArgument,
               "element 3");
  EXPECT_ERROR(Call("TensorListStack", {Listed(), Int(-1)}, {{"num_elements", int64_t{4}}}),
               Code::kInvalidArgument, "expected a list with 4");
  EXPECT_ERROR(Call("TensorListFromTensor", {Tensor::Scalar<float>(1), Int(-1)}),
               Code::kInvalidArgument, "no rows");
}

TEST(TensorListWhole, AnEmptyListNeedsTheShapeOfItsElements) {
  const Tensor empty = (*Call("TensorListFromTensor", {MakeTensor<float>({0, 2}, {}), Int(-1)}))[0];
  EXPECT_ERROR(Call("TensorListStack", {empty, Int(-1)}), Code::kInvalidArgument, "only known");
  const auto whole = Call("TensorListStack", {empty, Ints({5})});
  ASSERT_OK(whole);
  EXPECT_EQ((*whole)[0].shape().ToString(), "[0,5]");
}

TEST(TensorListWhole, RowsAreScattered) {
  const auto list = Call("TensorListScatterV2", {kRows, Ints({2, 0, 3}), Int(-1), Int(-1)});
  ASSERT_OK(list);
  const auto whole = Call("TensorListStack", {(*list)[0], Int(-1)});
  ASSERT_OK(whole);
  ExpectClose((*whole)[0], MakeTensor<float>({4, 2}, {3, 4, 0, 0, 1, 2, 5, 6}), Ulps(0));
  EXPECT_ERROR(Call("TensorListScatterV2", {kRows, Ints({2, 0, 3}), Int(-1), Int(2)}),
               Code::kInvalidArgument, "beyond num_elements");
  EXPECT_ERROR(Call("TensorListScatterV2", {kRows, Ints({0}), Int(-1), Int(-1)}),
               Code::kInvalidArgument, "1 indices for 3 rows");
  EXPECT_ERROR(Call("TensorListScatterV2", {kRows, Ints({-1, 0, 1}), Int(-1), Int(-1)}),
               Code::kInvalidArgument, "non-negative");
  const auto more = Call("TensorListScatterIntoExistingList", {Listed(), kRows, Ints({3, 4, 5})});
  ASSERT_OK(more);
  const auto length = Call("TensorListLength", {(*more)[0]});
  EXPECT_EQ(*(*length)[0].data<int32_t>(), 6);
}

TEST(TensorListWhole, PartsAreSplitAndConcatenated) {
  const auto list = Call("TensorListSplit", {kRows, Ints({-1, 2}), Longs({2, 0, 1})});
  ASSERT_OK(list);
  const auto whole = Call("TensorListConcatV2", {(*list)[0], Ints({-1, 2}), Longs({})});
  ASSERT_OK(whole);
  ExpectClose((*whole)[0], kRows, Ulps(0));
  ExpectClose((*whole)[1], Longs({2, 0, 1}), Ulps(0));
  EXPECT_ERROR(Call("TensorListSplit", {kRows, Int(-1), Longs({2, 2})}), Code::kInvalidArgument,
               "add up to 3");
  EXPECT_ERROR(Call("TensorListSplit", {kRows, Int(-1), Longs({2})}), Code::kInvalidArgument,
               "add up to 3");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
