#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {
namespace {

// A variable of floats, used through its kernels.
class VariableUser {
 public:
  VariableUser() {
    handle = *ops.First("VarHandleOp", {},
                        {{"dtype", DType::kFloat}, {"shape", PartialShape()},
                         {"shared_name", std::string("v")}});
  }
  Status Assign(const Tensor& value, bool validate = false) {
    return ops.Call("AssignVariableOp", {handle, value}, {{"validate_shape", validate}}).status();
  }
  Result<Tensor> Read(DType dtype = DType::kFloat) {
    return ops.First("ReadVariableOp", {handle}, {{"dtype", dtype}});
  }
  bool IsInitialized() { return *ops.First("VarIsInitializedOp", {handle}, {})->data<bool>(); }
  Status Destroy(bool ignore) {
    return ops.Call("DestroyResourceOp", {handle}, {{"ignore_lookup_error", ignore}}).status();
  }
  StepOps ops;
  Tensor handle;
};

TEST(ResourceVariable, HoldsWhatIsAssigned) {
  VariableUser variable;
  EXPECT_TRUE(!variable.IsInitialized());
  EXPECT_ERROR(variable.Read(), Code::kFailedPrecondition, "localhost/v: it is uninitialized");
  ASSERT_OK(variable.Assign(MakeTensor<float>({2}, {1, 2})));
  EXPECT_TRUE(variable.IsInitialized());
  ExpectClose(*variable.Read(), MakeTensor<float>({2}, {1, 2}), Ulps(0));
}

TEST(ResourceVariable, ItsShapeMayChangeUnlessValidated) {
  VariableUser variable;
  ASSERT_OK(variable.Assign(MakeTensor<float>({2}, {1, 2})));
  EXPECT_ERROR(variable.Assign(MakeTensor<float>({1}, {1}), true), Code::kInvalidArgument,
               "the variable has shape [2]");
  ASSERT_OK(variable.Assign(MakeTensor<float>({1}, {1})));
  const auto shape = variable.ops.First("VariableShape", {variable.handle},
                                        {{"out_type", DType::kInt64}});
  ASSERT_OK(shape);
  ExpectClose(*shape, MakeTensor<int64_t>({1}, {1}), Ulps(0));
}

TEST(ResourceVariable, IsReadWithoutACopy) {
  VariableUser variable;
  const auto disable = [&] { return variable.ops.Call("DisableCopyOnRead", {variable.handle}, {}); };
  EXPECT_ERROR(disable(), Code::kFailedPrecondition, "localhost/v");
  ASSERT_OK(variable.Assign(MakeTensor<float>({2}, {1, 2})));
  ASSERT_OK(disable());
  ExpectClose(*variable.Read(), MakeTensor<float>({2}, {1, 2}), Ulps(0));
}

TEST(ResourceVariable, ItsTypeStays) {
  VariableUser variable;
  ASSERT_OK(variable.Assign(MakeTensor<float>({2}, {1, 2})));
  EXPECT_ERROR(variable.Assign(MakeTensor<int32_t>({2}, {1, 2})), Code::kInvalidArgument,
               "holds float, not int32");
  EXPECT_ERROR(variable.Read(DType::kInt32), Code::kInvalidArgument, "holds float, not int32");
}

TEST(ResourceVariable, IsGoneWhenDestroyed) {
  VariableUser variable;
  EXPECT_ERROR(variable.Destroy(false), Code::kNotFound, "no variable localhost/v");
  ASSERT_OK(variable.Destroy(true));
  ASSERT_OK(variable.Assign(MakeTensor<float>({2}, {1, 2})));
  ASSERT_OK(variable.Destroy(false));
  EXPECT_TRUE(!variable.IsInitialized());
  EXPECT_ERROR(variable.ops.First("VariableShape", {variable.handle}, {}),
               Code::kFailedPrecondition, "was destroyed");
}

TEST(ResourceVariable, NumbersAreNoHandles) {
  StepOps ops;
  const Tensor number(DType::kResource, Shape{}, Tensor::Scalar<int64_t>(-7).buffer());
  EXPECT_ERROR(ops.First("ReadVariableOp", {number}, {{"dtype", DType::kFloat}}),
               Code::kInvalidArgument, "not a handle");
  EXPECT_ERROR(ops.First("VarIsInitializedOp", {number}, {}), Code::kInvalidArgument,
               "not a handle");
  EXPECT_ERROR(ops.Call("AssignVariableOp", {number, MakeTensor<float>({}, {1})}, {}),
               Code::kInvalidArgument, "not a handle");
  const Tensor none(DType::kResource, Shape{0}, Tensor::Vector<int64_t>({}).buffer());
  EXPECT_ERROR(ops.First("ReadVariableOp", {none}, {{"dtype", DType::kFloat}}),
               Code::kInvalidArgument, "is no handle");
}

TEST(ResourceVariable, TheGraphKnowsItsShapeThroughIdentities) {
  Graph graph;
  Node* handle = *graph.AddNode({"v", "VarHandleOp", {}, {},
                                 {{"dtype", DType::kFloat}, {"shape", PartialShape{2, 3}}}, ""});
  Node* same = *graph.AddNode({"same", "Identity", {{handle, 0}}, {}, {}, ""});
  const AttrMap floats{{"dtype", DType::kFloat}};
  Node* read = *graph.AddNode({"read", "ReadVariableOp", {{same, 0}}, {}, floats, ""});
  EXPECT_EQ(read->output(0).shape, (PartialShape{2, 3}));
  Node* shape = *graph.AddNode({"shape", "VariableShape", {{same, 0}}, {}, {}, ""});
  EXPECT_EQ(shape->output(0).shape, (PartialShape{2}));
  Node* fed = *graph.AddNode({"fed", "Placeholder", {}, {}, {{"dtype", DType::kResource}}, ""});
  Node* unknown = *graph.AddNode({"unknown", "ReadVariableOp", {{fed, 0}}, {}, floats, ""});
  EXPECT_TRUE(!unknown->output(0).shape.known_rank());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
