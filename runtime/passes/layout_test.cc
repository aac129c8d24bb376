// Which transpositions go, which stay, and what changes with them.
#include <map>

#include "passes/layout_roles.h"
#include "passes/plan_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Ints = std::vector<int64_t>;

// The plan of some fetches after the pass.
class After {
 public:
  After(const Graph& graph, const std::vector<Node*>& fetched, std::vector<Node*> targets = {})
      : plan_(*Prune(graph, {{}, Endpoints(fetched), std::move(targets)})) {
    for (PlanNode* node : plan_.nodes()) node->device = CpuDevice();
    EXPECT_OK(ChooseLayouts(&plan_, &record));
    EXPECT_OK(plan_.Sort());
  }

  int Count(const char* op) const {
    const auto& nodes = plan_.nodes();
    return static_cast<int>(
        std::count_if(nodes.begin(), nodes.end(), [&](const PlanNode* n) { return n->is(op); }));
  }
  const PlanNode& At(const std::string& name) const {
    for (const PlanNode* node : plan_.nodes()) {
      if (node->name() == name) return *node;
    }
    Fail(__FILE__, __LINE__, StrCat("no node ", name));
    return *plan_.nodes().front();
  }
  template <typename T>
  T Attr(const std::string& name, const char* attr) const {
    return *At(name).def->Attr<T>(attr);
  }
  // The value of a constant that the node reads.
  Tensor Constant(const std::string& name, size_t input) const {
    return *At(name).inputs[input].node->def->Attr<Tensor>("value");
  }
  std::string ShapeOf(const std::string& name) const {
    return At(name).def->output(0).shape.ToString();
  }

  PassRecord record;

 private:
  static std::vector<Endpoint> Endpoints(const std::vector<Node*>& nodes) {
    std::vector<Endpoint> endpoints;
    for (Node* node : nodes) endpoints.push_back({node, 0});
    return endpoints;
  }
  PlanGraph plan_;
};

std::string Text(const Ints& numbers) { return StrJoin(numbers, ","); }

// Ways to add what networks are made of.
class Network {
 public:
  Node* Turn(const std::string& name, Node* value, const std::vector<double>& order) {
    Node* by = Const(&graph, name + "_by",
                     MakeTensor<int32_t>({static_cast<int64_t>(order.size())}, order));
    return Add(&graph, name, "Transpose", {{value, 0}, {by, 0}});
  }
  Node* ToLast(const std::string& name, Node* value) { return Turn(name, value, {0, 2, 3, 1}); }
  Node* ToFirst(const std::string& name, Node* value) { return Turn(name, value, {0, 3, 1, 2}); }
  Node* Conv(const std::string& name, Node* value, const char* format, Ints strides = {1, 1, 1, 1}) {
    Node* filter = Const(&graph, name + "_filter",
                         MakeTensor<float>({1, 1, 4, 4}, std::vector<double>(16, 1)));
    return Add(&graph, name, "Conv2D", {{value, 0}, {filter, 0}},
               {{"strides", std::move(strides)}, {"padding", std::string("SAME")},
                {"data_format", std::string(format)}});
  }
  Node* Relu(const std::string& name, Node* value) {
    return Add(&graph, name, "Relu", {{value, 0}});
  }
  Node* Images(const char* format) {
    return Placeholder(&graph, "x", format[1] == 'C' ? PartialShape{kUnknownDim, 4, 16, 20}
                                                     : PartialShape{kUnknownDim, 16, 20, 4});
  }
  Graph graph;
};

TEST(Layout, TranspositionsAroundEachConvolutionGo) {
  Network net;
  Node* value = net.ToLast("in", net.Images("NCHW"));
  for (const char* name : {"a", "b", "c"}) {
    value = net.ToFirst(StrCat(name, "_back"), net.Conv(name, value, "NHWC"));
    value = net.Relu(StrCat(name, "_relu"), value);
    value = net.ToLast(StrCat(name, "_there"), value);
  }
  const After after(net.graph, {net.ToFirst("out", value)});
  EXPECT_EQ(after.Count("Transpose"), 2);
  EXPECT_EQ(after.Count("Relu"), 3);
  EXPECT_EQ(after.ShapeOf("b_relu"), after.ShapeOf("b"));
  EXPECT_TRUE(!after.record.changes.empty());
}

TEST(Layout, ConvolutionsTakeTheFormatOfTheirDevice) {
  Network net;
  Node* value = net.Conv("a", net.Images("NCHW"), "NCHW", {1, 1, 2, 3});
  Node* bias = Const(&net.graph, "bias", MakeTensor<float>({4}, {1, 2, 3, 4}));
  value = Add(&net.graph, "biased", "BiasAdd", {{value, 0}, {bias, 0}},
              {{"data_format", std::string("NCHW")}});
  value = Add(&net.graph, "pooled", "MaxPool", {{net.Relu("relu", value), 0}},
              {{"ksize", Ints{1, 1, 2, 4}}, {"strides", Ints{1, 1, 1, 2}},
               {"padding", std::string("VALID")}, {"data_format", std::string("NCHW")}});
  const After after(net.graph, {net.Conv("c", value, "NCHW")});
  EXPECT_EQ(after.Count("Transpose"), 2);
  EXPECT_EQ(after.Attr<std::string>("a", "data_format"), "NHWC");
  EXPECT_EQ(after.Attr<std::string>("biased", "data_format"), "NHWC");
  EXPECT_EQ(Text(after.Attr<Ints>("a", "strides")), "1,2,3,1");
  EXPECT_EQ(Text(after.Attr<Ints>("pooled", "ksize")), "1,2,4,1");
  EXPECT_EQ(Text(after.Attr<Ints>("pooled", "strides")), "1,1,2,1");
}

TEST(Layout, APoolingAloneIsWorthIt) {
  Network net;
  Node* pooled = Add(&net.graph, "pooled", "AvgPool", {{net.Images("NCHW"), 0}},
                     {{"ksize", Ints{1, 1, 2, 2}}, {"strides", Ints{1, 1, 1, 1}},
                      {"padding", std::string("SAME")}, {"data_format", std::string("NCHW")}});
  EXPECT_EQ(After(net.graph, {pooled}).Count("Transpose"), 2);
}

TEST(Layout, WhatSavesNothingStays) {
  Network net;
  Node* x = net.Images("NHWC");
  EXPECT_EQ(After(net.graph, {net.Conv("a", x, "NHWC")}).Count("Transpose"), 0);
  Node* turned = net.ToFirst("turned", net.Relu("relu", x));
  const After once(net.graph, {net.Relu("after", turned)});
  EXPECT_EQ(once.Count("Transpose"), 1);
  EXPECT_EQ(once.record.changes.size(), size_t{0});
  // A value with its own transposition: there is no one order for both.
  Node* square = Placeholder(&net.graph, "square", {3, 3});
  Node* negative = net.Relu("negative", square);
  Node* both = Add(&net.graph, "both", "AddV2",
                   {{negative, 0}, {net.Turn("aside", negative, {1, 0}), 0}});
  EXPECT_EQ(After(net.graph, {both}).Count("Transpose"), 1);
}

TEST(Layout, AnyOrderGoesThroughWhatIsElementwise) {
  Network net;
  Node* x = Placeholder(&net.graph, "x", {2, 3, 5});
  Node* row = Const(&net.graph, "row", MakeTensor<float>({2}, {1, 2}));
  Node* half = Const(&net.graph, "half", MakeTensor<float>({}, {0.5}));
  Node* value = net.Turn("there", x, {2, 1, 0});
  value = Add(&net.graph, "sum", "AddV2", {{value, 0}, {row, 0}});
  value = Add(&net.graph, "product", "Mul", {{half, 0}, {value, 0}});
  const After after(net.graph, {net.Turn("back", value, {-1, 1, 0})});
  EXPECT_EQ(after.Count("Transpose"), 0);
  EXPECT_EQ(after.Constant("sum", 1).shape().ToString(), Shape({2, 1, 1}).ToString());
  EXPECT_EQ(after.ShapeOf("product"), PartialShape({2, 3, 5}).ToString());
}

TEST(Layout, AxesAndSizesGoAlong) {
  Network net;
  Graph* graph = &net.graph;
  Node* x = net.ToFirst("in", net.Images("NHWC"));
  Node* sizes = Const(graph, "sizes", MakeTensor<int32_t>({4, 2}, {0, 0, 1, 2, 3, 4, 5, 6}));
  Node* padded = Add(graph, "padded", "Pad", {{x, 0}, {sizes, 0}});
  Node* axis = Const(graph, "axis", MakeTensor<int32_t>({}, {1}));
  Node* joined = Add(graph, "joined", "ConcatV2", {{padded, 0}, {padded, 0}, {axis, 0}},
                     {{"N", int64_t{2}}});
  Node* axes = Const(graph, "axes", MakeTensor<int32_t>({2}, {2, -1}));
  Node* mean = Add(graph, "mean", "Mean", {{joined, 0}, {axes, 0}}, {{"keep_dims", false}});
  const After after(net.graph, {mean});
  EXPECT_EQ(after.Count("Transpose"), 0);
  ExpectClose(after.Constant("padded", 1),
              MakeTensor<int32_t>({4, 2}, {0, 0, 3, 4, 5, 6, 1, 2}), Ulps(0));
  ExpectClose(after.Constant("joined", 2), MakeTensor<int32_t>({}, {3}), Ulps(0));
  ExpectClose(after.Constant("mean", 1), MakeTensor<int32_t>({2}, {1, 2}), Ulps(0));
}

TEST(Layout, SizesThatAreNotKnownAreTurned) {
  Network net;
  Node* x = net.ToFirst("in", net.Images("NHWC"));
  Node* sizes = Add(&net.graph, "sizes", "Shape", {{net.Relu("relu", x), 0}});
  const After after(net.graph, {sizes});
  EXPECT_EQ(after.Count("Transpose"), 0);
  EXPECT_EQ(after.Count("GatherV2"), 1);
}

// The channels would stand behind the columns.
TEST(Layout, AReductionKeepsTheOrderOfWhatItLeaves) {
  Network net;
  Node* x = net.ToFirst("in", net.Images("NHWC"));
  Node* rows = Const(&net.graph, "rows", MakeTensor<int32_t>({}, {2}));
  Node* sum = Add(&net.graph, "sum", "Sum", {{x, 0}, {rows, 0}}, {{"keep_dims", false}});
  EXPECT_EQ(After(net.graph, {sum}).Count("Transpose"), 1);
}

TEST(Layout, WhatIsFetchedOrWaitedForIsAsItWas) {
  Network net;
  Node* inside = net.Relu("inside", net.ToFirst("in", net.Images("NHWC")));
  Node* out = net.ToLast("out", net.Relu("more", inside));
  const After fetched(net.graph, {out, inside});
  EXPECT_EQ(fetched.Count("Transpose"), 1);  // for who fetched it
  EXPECT_EQ(fetched.Count("Relu"), 2);
  const After waited(net.graph, {out}, {inside});
  EXPECT_EQ(waited.Count("Relu"), 2);
}

TEST(Layout, OrdersOfDimensions) {
  EXPECT_EQ(Text(OtherFormat(true, 4)), "0,3,1,2");
  EXPECT_EQ(Text(OtherFormat(false, 4)), "0,2,3,1");
  EXPECT_EQ(Text(OtherFormat(true, 5)), "0,4,1,2,3");
  EXPECT_EQ(Text(OtherFormat(false, 5)), "0,2,3,4,1");
  EXPECT_EQ(Text(Compose({2, 0, 1}, {1, 2, 0})), "0,1,2");
  EXPECT_EQ(Text(Compose({1, 0, 2}, {2, 0, 1})), "2,1,0");
  EXPECT_EQ(Text(Inverse({2, 0, 1})), "1,2,0");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
