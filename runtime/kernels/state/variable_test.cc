#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Result<Node*> AddVariable(Graph* graph, const std::string& op, const std::string& name,
                          const std::string& shared_name) {
  return graph->AddNode({name, op, {}, {},
                         {{"dtype", DType::kFloat},
                          {"shape", PartialShape{2}},
                          {"shared_name", shared_name}},
                         ""});
}

// The variable that the node's kernel puts out.
Result<Variable*> VariableOf(Node* node, ResourceManager* store) {
  ASSIGN_OR_RETURN(const KernelRegistration* registration,
                   KernelRegistry::Global().Find(*node, DeviceType::kCpu));
  std::unique_ptr<OpKernel> kernel = registration->make();
  RETURN_IF_ERROR(kernel->Init({*node, CpuDevice(), store}));
  Entry output;
  const bool on_host = true;
  OpKernelContext context({node, CpuDevice(), nullptr, &output, &on_host, &on_host});
  RETURN_IF_ERROR(kernel->Compute(&context));
  return output.variable;
}

void SameNameIsSameVariable(const std::string& op) {
  Graph graph;
  ResourceManager store;
  const Result<Node*> a = AddVariable(&graph, op, "a", "");
  const Result<Node*> other = AddVariable(&graph, op, "other", "a");
  const Result<Node*> b = AddVariable(&graph, op, "b", "");
  ASSERT_OK(a);
  ASSERT_OK(other);
  ASSERT_OK(b);
  EXPECT_TRUE((*a)->output(0).is_ref);
  EXPECT_EQ((*a)->output(0).shape, (PartialShape{2}));
  const Result<Variable*> first = VariableOf(*a, &store);
  ASSERT_OK(first);
  EXPECT_TRUE(*first != nullptr && !(*first)->value.initialized());
  EXPECT_TRUE(*VariableOf(*other, &store) == *first);
  EXPECT_TRUE(*VariableOf(*b, &store) != *first);
}

TEST(Variable, SameNameIsSameVariable) {
  SameNameIsSameVariable("VariableV2");
  SameNameIsSameVariable("Variable");
}

TEST(Variable, OldOpWritesUnknownShapeAsScalar) {
  Graph graph;
  const Result<Node*> node =
      graph.AddNode({"v", "Variable", {}, {},
                     {{"dtype", DType::kFloat}, {"shape", PartialShape(std::vector<int64_t>{})}},
                     ""});
  ASSERT_OK(node);
  EXPECT_TRUE(!(*node)->output(0).shape.known_rank());
}

TEST(IsVariableInitialized, AnswersBoth) {
  Graph graph;
  const Result<Node*> source = AddVariable(&graph, "VariableV2", "v", "");
  ASSERT_OK(source);
  const Result<Node*> node =
      graph.AddNode({"is", "IsVariableInitialized", {{*source, 0}}, {}, {}, ""});
  ASSERT_OK(node);
  const Result<const KernelRegistration*> registration =
      KernelRegistry::Global().Find(**node, DeviceType::kCpu);
  ASSERT_OK(registration);
  for (const bool initialized : {false, true}) {
    Variable variable;
    if (initialized) variable.value = MakeTensor<float>({2}, {1, 2});
    Entry input{Tensor(), &variable};
    Entry output;
    const bool on_host = true;
    Entry* const pointer = &input;
    OpKernelContext context({*node, CpuDevice(), &pointer, &output, &on_host, &on_host});
    EXPECT_OK((*registration)->make()->Compute(&context));
    ExpectClose(output.value, Tensor::Scalar<bool>(initialized), Ulps(0));
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
