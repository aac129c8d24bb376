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
REGISTER_KERNEL(Kernel("_FusedMatMul").OnGpu().Type<double>("T"), PlannedChain);
REGISTER_KERNEL(Kernel("_FusedConv2D").OnGpu().Type<double>("T"), PlannedChain);

// What is planned for the GPU; and what the last fused product is followed by.
Names FusedOnGpu(const Graph& graph, const Endpoint& fetch, Names* fused_ops = nullptr) {
  static PlannedGpu* const gpu = new PlannedGpu();
  Result<PlanGraph> plan = Prune(graph, {{}, {fetch}, {}});
  EXPECT_OK(plan);
  for (PlanNode* node : plan->nodes()) node->device = gpu;
  PassRecord record;
  EXPECT_OK(Fuse(&*plan, &record));
  EXPECT_OK(plan->Sort());
  Names ops;
  for (const PlanNode* node : plan->nodes()) {
    ops.push_back(node->op());
    const auto fused = node->def->Attr<Names>("fused_ops");
    if (fused_ops != nullptr && fused.ok()) *fused_ops = *fused;
  }
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
  Node* negated = Add(&graph, "negated", "Neg", {{result, 0}});
  // Behind a product, but not with it: no library has this activation.
  ExpectNames(FusedOnGpu(graph, {negated, 0}),
              {"Placeholder", "_ElementwiseChain", "_FusedMatMul"});
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

Node* Doubles(Graph* graph, const char* name, PartialShape shape) {
  return Add(graph, name, "Placeholder", {}, {{"dtype", DType::kDouble}, {"shape", shape}});
}

Node* Number(Graph* graph, const char* name, double value) {
  return Const(graph, name, Tensor::Scalar<double>(value));
}

// The formula of BERT, or with its factors in another order.
Node* Gelu(Graph* graph, Node* x, double coefficient, bool bert) {
  const auto apply = [&](const char* name, const char* op, Node* a, Node* b) {
    return Add(graph, name, op, {{a, 0}, {b, 0}});
  };
  Node* half = Number(graph, "half", 0.5);
  Node* cube = bert ? apply("cube", "Pow", x, Number(graph, "three", 3))
                    : apply("cube", "Mul", x, Add(graph, "square", "Square", {{x, 0}}));
  Node* small = apply("small", "Mul", Number(graph, "coefficient", coefficient), cube);
  Node* inner = apply("inner", "AddV2", x, small);
  Node* scaled = apply("scaled", "Mul", Number(graph, "root", 0.7978845608028654), inner);
  Node* tanh = Add(graph, "tanh", "Tanh", {{scaled, 0}});
  Node* outer = apply("outer", "AddV2", Number(graph, "one", 1), tanh);
  if (bert) return apply("gelu", "Mul", apply("half_x", "Mul", half, x), outer);
  return apply("gelu", "Mul", x, apply("half_outer", "Mul", half, outer));
}

TEST(FuseEpilogues, TakesBiasTensorAndActivation) {
  Graph graph;
  Node* a = Doubles(&graph, "a", {kUnknownDim, 4});
  Node* b = Doubles(&graph, "b", {4, 8});
  Node* bias = Doubles(&graph, "bias", {8});
  Node* product = Add(&graph, "product", "MatMul", {{a, 0}, {b, 0}});
  Node* biased = Add(&graph, "biased", "BiasAdd", {{product, 0}, {bias, 0}});
  Node* relu = Add(&graph, "relu", "Relu", {{biased, 0}});
  Names fused;
  ExpectNames(FusedOnGpu(graph, {relu, 0}, &fused),
              {"Placeholder", "Placeholder", "Placeholder", "_FusedMatMul"});
  ExpectNames(fused, {"BiasAdd", "Relu"});
  // Which tensor has the shape of the result, and which would be stretched, is not known before.
  Node* other = Doubles(&graph, "other", {kUnknownDim, 8});
  Node* added = Add(&graph, "added", "AddV2", {{biased, 0}, {other, 0}});
  FusedOnGpu(graph, {added, 0}, &fused);
  ExpectNames(fused, {"BiasAdd"});
  // A product that somebody else reads stays.
  Node* twice = Add(&graph, "twice", "AddN", {{product, 0}, {relu, 0}}, {{"N", int64_t{2}}});
  const Names ops = FusedOnGpu(graph, {twice, 0});
  EXPECT_EQ(std::count(ops.begin(), ops.end(), "MatMul"), 1);
  EXPECT_EQ(std::count(ops.begin(), ops.end(), "_FusedMatMul"), 0);
}

// The bias of a convolution is that of its channels, wherever they are.
TEST(FuseEpilogues, KnowsTheChannelsOfAConvolution) {
  for (const char* format : {"NHWC", "NCHW"}) {
    for (const char* of_bias : {"NHWC", "NCHW"}) {
      Graph graph;
      Node* x = Doubles(&graph, "x", {2, 5, 5, 5});
      Node* filter = Doubles(&graph, "filter", {1, 1, 5, 5});
      Node* bias = Doubles(&graph, "bias", {5});
      const std::string name = format;
      Node* product = Add(&graph, "product", "Conv2D", {{x, 0}, {filter, 0}},
                          {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                           {"padding", std::string("SAME")},
                           {"data_format", name}});
      Node* biased = Add(&graph, "biased", "BiasAdd", {{product, 0}, {bias, 0}},
                         {{"data_format", std::string(of_bias)}});
      Names fused;
      FusedOnGpu(graph, {biased, 0}, &fused);
      ExpectNames(fused, name == of_bias ? Names{"BiasAdd"} : Names{});
      // By a sum it is one of the last dimension.
      Node* sum = Add(&graph, "sum", "AddV2", {{product, 0}, {bias, 0}});
      fused.clear();
      FusedOnGpu(graph, {sum, 0}, &fused);
      ExpectNames(fused, name == "NHWC" ? Names{"BiasAdd"} : Names{});
    }
  }
}

TEST(FuseEpilogues, TakesOneOfTwoProductsThatAreAdded) {
  Graph graph;
  Node* a = Doubles(&graph, "a", {8, 8});
  Node* one = Add(&graph, "one", "MatMul", {{a, 0}, {a, 0}});
  Node* two = Add(&graph, "two", "MatMul", {{a, 0}, {a, 0}}, {{"transpose_a", true}});
  Node* sum = Add(&graph, "sum", "AddV2", {{one, 0}, {two, 0}});
  ExpectNames(FusedOnGpu(graph, {sum, 0}), {"MatMul", "Placeholder", "_FusedMatMul"});
}

TEST(FuseEpilogues, PutsAReshapeBehindTheProduct) {
  Graph graph;
  Node* a = Doubles(&graph, "a", {6, 4});
  Node* b = Doubles(&graph, "b", {4, 8});
  Node* bias = Doubles(&graph, "bias", {8});
  Node* product = Add(&graph, "product", "MatMul", {{a, 0}, {b, 0}});
  for (const int64_t channels : {8, 4}) {
    Node* shape = Const(&graph, StrCat("shape", channels),
                        Tensor::Vector<int32_t>({-1, 3, static_cast<int32_t>(channels)}));
    Node* reshaped = Add(&graph, StrCat("reshaped", channels), "Reshape", {{product, 0}, {shape, 0}});
    Node* more = channels == 8 ? bias : Doubles(&graph, "shorter", {channels});
    Node* sum = Add(&graph, StrCat("sum", channels), "AddV2", {{more, 0}, {reshaped, 0}});
    Names fused;
    const Names ops = FusedOnGpu(graph, {sum, 0}, &fused);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "Reshape"), 1);
    ExpectNames(fused, channels == 8 ? Names{"BiasAdd"} : Names{});
  }
}

TEST(FuseEpilogues, KnowsTheGeluOfCublas) {
  for (const bool bert : {false, true}) {
    for (const double coefficient : {0.044715, 0.0447}) {
      Graph graph;
      Node* a = Doubles(&graph, "a", {4, 4});
      Node* bias = Doubles(&graph, "bias", {4});
      Node* product = Add(&graph, "product", "MatMul", {{a, 0}, {a, 0}});
      Node* sum = Add(&graph, "sum", "BiasAdd", {{product, 0}, {bias, 0}});
      Node* gelu = Gelu(&graph, sum, coefficient, bert);
      Names fused;
      const Names ops = FusedOnGpu(graph, {gelu, 0}, &fused);
      if (coefficient == 0.044715) {
        ExpectNames(ops, {"Placeholder", "Placeholder", "_FusedMatMul"});
        ExpectNames(fused, {"BiasAdd", "GeluApproximate"});
      } else {
        ExpectNames(fused, {"BiasAdd"});
      }
      // Somebody else reads what it is made of.
      Node* tanh = Add(&graph, "more", "Neg", {{gelu->inputs()[1].node, 0}});
      Node* both = Add(&graph, "both", "AddV2", {{tanh, 0}, {gelu, 0}});
      FusedOnGpu(graph, {both, 0}, &fused);
      ExpectNames(fused, {"BiasAdd"});
    }
  }
}

TEST(FuseEpilogues, TakesWhatCudnnHas) {
  for (const char* format : {"NHWC", "NCHW"}) {
    Graph graph;
    Node* x = Doubles(&graph, "x", {1, 4, 4, 4});
    Node* filter = Doubles(&graph, "filter", {1, 1, 4, 4});
    Node* bias = Doubles(&graph, "bias", {4});
    const std::vector<int64_t> ones = {1, 1, 1, 1};
    Node* image = Add(&graph, "image", "Conv2D", {{x, 0}, {filter, 0}},
                      {{"strides", ones}, {"padding", std::string("SAME")},
                       {"data_format", std::string(format)}});
    Node* biased = Add(&graph, "biased", "BiasAdd", {{image, 0}, {bias, 0}},
                       {{"data_format", std::string(format)}});
    Node* sum = Add(&graph, "sum", "AddV2", {{x, 0}, {biased, 0}});
    Node* relu = Add(&graph, "relu", "Relu", {{sum, 0}});
    Names fused;
    FusedOnGpu(graph, {relu, 0}, &fused);
    ExpectNames(fused, {"BiasAdd", "Add", "Relu"});
    Node* gelu = Gelu(&graph, biased, 0.044715, true);
    fused = {};
    FusedOnGpu(graph, {gelu, 0}, &fused);
    ExpectNames(fused, {"BiasAdd"});
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
