// What is fused on a GPU; passes_test.cc has the CPU's.
#include <algorithm>

#include "passes/plan_test.h"

namespace tfbuild {
namespace testing {
namespace {

// A GPU that only nodes are placed on, with a kernel for chains of a type that the real one lacks.
class PlannedGpu final : public Device {
 public:
  PlannedGpu() : Device(DeviceType::kGpu, 0) {}
  std::string description() const override { return "a test's device"; }
  int64_t memory_bytes() const override { return 0; }
  Allocator* allocator() override { return CpuAllocator(); }
  Status CopyFromHost(const Tensor&, Tensor*) override { return OkStatus(); }
  Status CopyToHost(const Tensor&, Tensor*) override { return OkStatus(); }
  Status CopyWithin(const Tensor&, Tensor*) override { return OkStatus(); }
  Status Synchronize() override { return OkStatus(); }
};
class PlannedChain final : public OpKernel {
 public:
  Status Compute(OpKernelContext*) override { return Internal("is only planned"); }
};
REGISTER_KERNEL(Kernel("_ElementwiseChain").OnGpu().Type<double>("T"), PlannedChain);

Names FusedOnGpu(const Graph& graph, const Endpoint& fetch) {
  static PlannedGpu* const gpu = new PlannedGpu();
  Result<PlanGraph> plan = Prune(graph, {{}, {fetch}, {}});
  EXPECT_OK(plan);
  for (PlanNode* node : plan->nodes()) node->device = gpu;
  PassRecord record;
  EXPECT_OK(Fuse(&*plan, &record));
  EXPECT_OK(plan->Sort());
  Names ops;
  for (const PlanNode* node : plan->nodes()) ops.push_back(node->op());
  std::sort(ops.begin(), ops.end());
  return ops;
}

TEST(Fuse, TakesOnAGpuWhatItsKernelKnows) {
  Graph graph;
  const auto source = [&](const char* name, DType dtype) {
    return Add(&graph, name, "Placeholder", {}, {{"dtype", dtype}, {"shape", PartialShape({4, 4})}});
  };
  Node* x = source("x", DType::kDouble);
  Node* product = Add(&graph, "product", "MatMul", {{x, 0}, {x, 0}});
  Node* sum = Add(&graph, "sum", "AddV2", {{product, 0}, {x, 0}});
  Node* result = Add(&graph, "result", "Tanh", {{sum, 0}});
  // Behind a product, but not with it.
  ExpectNames(FusedOnGpu(graph, {result, 0}), {"MatMul", "Placeholder", "_ElementwiseChain"});
  // No sine.
  Node* wave = Add(&graph, "wave", "Sin", {{x, 0}});
  Node* scaled = Add(&graph, "scaled", "Mul", {{wave, 0}, {x, 0}});
  Node* shifted = Add(&graph, "shifted", "Neg", {{scaled, 0}});
  ExpectNames(FusedOnGpu(graph, {shifted, 0}), {"Placeholder", "Sin", "_ElementwiseChain"});
  // Of this type there is no kernel.
  Node* y = source("y", DType::kInt32);
  Node* half = Add(&graph, "half", "Neg", {{y, 0}});
  Node* square = Add(&graph, "square", "Square", {{half, 0}});
  ExpectNames(FusedOnGpu(graph, {square, 0}), {"Neg", "Placeholder", "Square"});
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
