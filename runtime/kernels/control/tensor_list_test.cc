#include "kernels/control/tensor_list.h"

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const AttrMap kFloat{{"element_dtype", DType::kFloat}};
const AttrMap kMade{{"element_dtype", DType::kFloat}, {"shape_type", DType::kInt32}};

Result<std::vector<Tensor>> Call(const std::string& op, std::vector<Tensor> inputs,
                                 const AttrMap& attrs) {
  OpTest test(op);
  for (Tensor& input : inputs) test.Input(std::move(input));
  for (const auto& [name, value] : attrs) test.Attr(name, value);
  return test.RunOnCpu();
}

Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
Tensor Vector(const std::vector<double>& values) {
  return MakeTensor<float>({static_cast<int64_t>(values.size())}, values);
}

Tensor Reserved(int32_t length) {
  return (*Call("TensorListReserve", {Int(-1), Int(length)}, kMade))[0];
}

int32_t LengthOf(const Tensor& list) {
  return *(*Call("TensorListLength", {list}, {}))[0].data<int32_t>();
}

TEST(TensorList, GrowsAndShrinksAtItsEnd) {
  Tensor list = (*Call("EmptyTensorList", {Int(-1), Int(-1)}, kMade))[0];
  list = (*Call("TensorListPushBack", {list, Vector({1})}, kFloat))[0];
  list = (*Call("TensorListPushBack", {list, Vector({2, 3})}, kFloat))[0];
  EXPECT_EQ(LengthOf(list), 2);
  const auto popped = Call("TensorListPopBack", {list, Int(-1)}, kFloat);
  ASSERT_OK(popped);
  ExpectClose((*popped)[1], Vector({2, 3}), Ulps(0));
  EXPECT_EQ(LengthOf((*popped)[0]), 1);
  // Whoever else has the list still has all of it.
  EXPECT_EQ(LengthOf(list), 2);
}

TEST(TensorList, ElementsAreSetAndReadByNumber) {
  const Tensor before = Reserved(3);
  const Tensor list = (*Call("TensorListSetItem", {before, Int(1), Vector({4, 5})}, kFloat))[0];
  const auto item = Call("TensorListGetItem", {list, Int(1), Int(-1)}, kFloat);
  ASSERT_OK(item);
  ExpectClose((*item)[0], Vector({4, 5}), Ulps(0));
  // One that was never set is zeros of the shape of the others.
  const auto other = Call("TensorListGetItem", {list, Int(0), Int(-1)}, kFloat);
  ASSERT_OK(other);
  ExpectClose((*other)[0], Vector({0, 0}), Ulps(0));
  EXPECT_ERROR(Call("TensorListGetItem", {before, Int(0), Int(-1)}, kFloat),
               Code::kInvalidArgument, "never set");
}

TEST(TensorList, RefusesWhatDoesNotFit) {
  const Tensor list = Reserved(1);
  const Tensor one = Vector({1});
  EXPECT_ERROR(Call("TensorListSetItem", {list, Int(1), one}, kFloat), Code::kInvalidArgument,
               "in a list with 1 elements");
  EXPECT_ERROR(Call("TensorListSetItem", {list, Int(-1), one}, kFloat), Code::kInvalidArgument,
               "element -1");
  EXPECT_ERROR(Call("TensorListPushBack", {list, Tensor::Scalar<double>(1)},
                    {{"element_dtype", DType::kDouble}}), Code::kInvalidArgument, "takes no double");
  EXPECT_ERROR(Call("TensorListReserve", {Int(-1), Int(-1)}, kMade), Code::kInvalidArgument, "-1");
  EXPECT_ERROR(Call("TensorListReserve", {Int(-1), Int(1 << 30)}, kMade), Code::kInvalidArgument,
               "no list has");
  const Tensor empty = (*Call("EmptyTensorList", {Int(-1), Int(0)}, kMade))[0];
  EXPECT_ERROR(Call("TensorListPopBack", {empty, Int(-1)}, kFloat), Code::kInvalidArgument,
               "empty list");
  EXPECT_ERROR(Call("TensorListPushBack", {empty, one}, kFloat), Code::kInvalidArgument,
               "full list");
  const Tensor nothing = *Tensor::Allocate(CpuAllocator(), DType::kVariant, Shape{});
  EXPECT_ERROR(Call("TensorListLength", {nothing}, {}), Code::kInvalidArgument, "no list");
}

TEST(TensorList, HaveZerosAndSums) {
  const Tensor list = (*Call("TensorListSetItem", {Reserved(2), Int(1), Vector({4, 5})}, kFloat))[0];
  const auto zeros = Call("ZerosLike", {list}, {});
  ASSERT_OK(zeros);
  const Tensor other =
      (*Call("TensorListSetItem", {(*zeros)[0], Int(0), Vector({1, 1})}, kFloat))[0];
  const auto sum = Call("AddN", {list, other, list}, {});
  ASSERT_OK(sum);
  const auto whole = Call("TensorListStack", {(*sum)[0], Int(-1)}, kFloat);
  ASSERT_OK(whole);
  ExpectClose((*whole)[0], MakeTensor<float>({2, 2}, {1, 1, 8, 10}), Ulps(0));
  EXPECT_ERROR(Call("AddN", {list, Reserved(3)}, {}), Code::kInvalidArgument, "have no sum");
}

TEST(TensorList, ReturnsItsElementShape) {
  const auto any = Call("TensorListElementShape", {Reserved(1)}, {{"shape_type", DType::kInt32}});
  ASSERT_OK(any);
  EXPECT_EQ(*(*any)[0].data<int32_t>(), -1);
  const Tensor list = (*Call("TensorListReserve", {MakeTensor<int32_t>({2}, {-1, 3}), Int(1)},
                             kMade))[0];
  const auto some = Call("TensorListElementShape", {list}, {{"shape_type", DType::kInt64}});
  ASSERT_OK(some);
  ExpectClose((*some)[0], MakeTensor<int64_t>({2}, {-1, 3}), Ulps(0));
  const auto longer = Call("TensorListResize", {list, Int(4)}, {});
  ASSERT_OK(longer);
  EXPECT_EQ(LengthOf((*longer)[0]), 4);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
