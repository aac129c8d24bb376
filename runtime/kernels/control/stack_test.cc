#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {
namespace {

// One stack of floats, used through its kernels.
class StackUser {
 public:
  explicit StackUser(int32_t limit) {
    const auto handle = ops_.First("StackV2", {Tensor::Scalar<int32_t>(limit)},
                                   {{"elem_type", DType::kFloat}});
    EXPECT_OK(handle);
    if (handle.ok()) handle_ = *handle;
  }
  Result<Tensor> Push(const Tensor& value) {
    return ops_.First("StackPushV2", {handle_, value}, {});
  }
  Result<Tensor> Pop(DType dtype = DType::kFloat) {
    return ops_.First("StackPopV2", {handle_}, {{"elem_type", dtype}});
  }
  Status Close() { return ops_.Call("StackCloseV2", {handle_}, {}).status(); }

 private:
  StepOps ops_;
  Tensor handle_;
};

TEST(Stack, GivesTheLastFirst) {
  StackUser stack(-1);
  const Tensor a = MakeTensor<float>({}, {1});
  const Tensor b = MakeTensor<float>({2}, {2, 3});
  const auto pushed = stack.Push(a);
  ASSERT_OK(pushed);
  ExpectClose(*pushed, a, Ulps(0));
  ASSERT_OK(stack.Push(b));
  ExpectClose(*stack.Pop(), b, Ulps(0));
  ExpectClose(*stack.Pop(), a, Ulps(0));
  EXPECT_ERROR(stack.Pop(), Code::kInvalidArgument, "stack is empty");
}

TEST(Stack, TakesNoMoreThanItsSize) {
  StackUser stack(1);
  ASSERT_OK(stack.Push(MakeTensor<float>({}, {1})));
  EXPECT_ERROR(stack.Push(MakeTensor<float>({}, {1})), Code::kInvalidArgument, "takes 1 elements");
  ASSERT_OK(stack.Pop());
  ASSERT_OK(stack.Push(MakeTensor<float>({}, {1})));
}

TEST(Stack, HoldsOneType) {
  StackUser stack(-1);
  EXPECT_ERROR(stack.Push(MakeTensor<int32_t>({}, {1})), Code::kInvalidArgument,
               "holds float, not int32");
  ASSERT_OK(stack.Push(MakeTensor<float>({}, {1})));
  EXPECT_ERROR(stack.Pop(DType::kInt32), Code::kInvalidArgument, "holds float, not int32");
}

TEST(Stack, IsGoneWhenClosed) {
  StackUser stack(-1);
  ASSERT_OK(stack.Close());
  EXPECT_ERROR(stack.Push(MakeTensor<float>({}, {1})), Code::kInvalidArgument, "not a handle");
  EXPECT_ERROR(stack.Close(), Code::kInvalidArgument, "not a handle");
}

TEST(Stack, ItsSizeIsAScalar) {
  EXPECT_ERROR(StepOps().Call("StackV2", {Tensor::Vector<int32_t>({1, 2})},
                              {{"elem_type", DType::kFloat}}),
               Code::kInvalidArgument, "must be a scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
