#include "graph/graph.h"

#include <cmath>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Node* AddConst(Graph* graph, const std::string& name, const Tensor& value) {
  return *graph->AddNode({name, "Const", {}, {}, {{"value", value}, {"dtype", value.dtype()}}, ""});
}

TEST(Graph, InfersTypesAndShapes) {
  Graph graph;
  Node* source = AddConst(&graph, "x", MakeTensor<float>({2}, {1, 2}));
  const Result<Node*> relu = graph.AddNode({"y", "Relu", {{source, 0}}, {}, {}, ""});
  ASSERT_OK(relu);
  EXPECT_EQ(std::string(DTypeName((*relu)->output(0).dtype)), "float");
  EXPECT_EQ((*relu)->output(0).shape.ToString(), "[2]");
  EXPECT_TRUE(graph.FindNode("y") == *relu);
}

TEST(Graph, RejectsWhatIsWrongAndStaysAsItWas) {
  Graph graph;
  Node* source = AddConst(&graph, "x", MakeTensor<float>({2}, {1, 2}));
  const Endpoint x{source, 0};
  EXPECT_ERROR(graph.AddNode({"y", "Rellu", {x}, {}, {}, ""}), Code::kNotFound, "mean 'Relu'");
  EXPECT_ERROR(graph.AddNode({"x", "Relu", {x}, {}, {}, ""}), Code::kAlreadyExists, "named 'x'");
  EXPECT_ERROR(graph.AddNode({"", "Relu", {x}, {}, {}, ""}), Code::kInvalidArgument, "valid");
  EXPECT_ERROR(graph.AddNode({"y", "Relu", {}, {}, {}, ""}), Code::kInvalidArgument, "missing");
  EXPECT_ERROR(graph.AddNode({"y", "Relu", {x, x}, {}, {}, ""}), Code::kInvalidArgument,
               "expected 1 inputs, not 2");
  EXPECT_ERROR(graph.AddNode({"y", "Relu", {x}, {}, {{"T", DType::kInt32}}, ""}),
               Code::kInvalidArgument, "does not match");
  EXPECT_ERROR(graph.AddNode({"y", "Relu", {x}, {}, {{"speed", int64_t{1}}}, ""}),
               Code::kInvalidArgument, "no attribute speed");
  EXPECT_EQ(graph.num_nodes(), 1);
}

TEST(Graph, RefineShapeOnlyAdds) {
  Graph graph;
  Node* source = AddConst(&graph, "x", MakeTensor<float>({2}, {1, 2}));
  EXPECT_OK(graph.RefineShape({source, 0}, PartialShape({kUnknownDim})));
  EXPECT_EQ(source->output(0).shape.ToString(), "[2]");
  EXPECT_ERROR(graph.RefineShape({source, 0}, PartialShape({3})), Code::kInvalidArgument,
               "incompatible");
}

TEST(Graph, ControlEdgesFollowTheOrderOfNodes) {
  Graph graph;
  Node* a = AddConst(&graph, "a", MakeTensor<float>({1}, {1}));
  Node* b = AddConst(&graph, "b", MakeTensor<float>({1}, {1}));
  EXPECT_OK(graph.AddControlEdge(a, b));
  EXPECT_ERROR(graph.AddControlEdge(b, a), Code::kInvalidArgument, "cycle");
}

TEST(Graph, NodesOfAnOpShareTheAttributesThatTheyHaveAlike) {
  Graph graph;
  const Endpoint x{AddConst(&graph, "x", MakeTensor<float>({2}, {1, 2})), 0};
  const auto add = [&](float alpha) -> const Node* {
    const std::string name = StrCat("n", graph.num_nodes());
    return *graph.AddNode({name, "LeakyRelu", {x}, {}, {{"alpha", alpha}}, ""});
  };
  const Node* first = add(0.5f);
  const Node* other = add(0.25f);
  EXPECT_TRUE(&add(0.5f)->attrs() == &first->attrs());
  EXPECT_TRUE(&add(0.25f)->attrs() == &other->attrs());
  EXPECT_EQ(*add(0.5f)->Attr<float>("alpha"), 0.5f);
  // To the bit.
  EXPECT_TRUE(!std::signbit(*add(0.0f)->Attr<float>("alpha")));
  EXPECT_TRUE(std::signbit(*add(-0.0f)->Attr<float>("alpha")));
  // Values are not compared.
  const Tensor value = MakeTensor<float>({1}, {1});
  EXPECT_TRUE(&AddConst(&graph, "a", value)->attrs() != &AddConst(&graph, "b", value)->attrs());
}

TEST(Graph, KnowsWhoReadsAValueWhileItGrows) {
  Graph graph;
  Node* x = AddConst(&graph, "x", MakeTensor<float>({}, {1}));
  const auto op = [&graph](const char* name, const char* kind, std::vector<Endpoint> inputs,
                           AttrMap attrs = {}) {
    return *graph.AddNode({name, kind, std::move(inputs), {}, std::move(attrs), ""});
  };
  using Readers = std::vector<Node*>;
  EXPECT_TRUE(graph.ReadersOf({x, 0}).empty());
  Node* twice = op("twice", "AddV2", {{x, 0}, {x, 0}});
  EXPECT_TRUE((graph.ReadersOf({x, 0}) == Readers{twice}));
  Node* enter = op("enter", "Enter", {{x, 0}}, {{"frame_name", std::string("loop")}});
  Node* merge = op("merge", "Merge", {{enter, 0}, {x, 0}});
  EXPECT_TRUE((graph.ReadersOf({x, 0}) == Readers{twice, enter, merge}));
  Node* next = op("next", "NextIteration", {{merge, 0}});
  ASSERT_OK(graph.CloseLoop(merge, 1, next));
  EXPECT_TRUE((graph.ReadersOf({x, 0}) == Readers{twice, enter}));
  EXPECT_TRUE((graph.ReadersOf({next, 0}) == Readers{merge}));
  EXPECT_TRUE((graph.ReadersOf({merge, 0}) == Readers{next}));
  EXPECT_TRUE(graph.ReadersOf({merge, 1}).empty());
  graph.Truncate(2);
  EXPECT_TRUE((graph.ReadersOf({x, 0}) == Readers{twice}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
