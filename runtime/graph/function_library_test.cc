#include "graph/function_library.h"

#include <random>

#include "testing/function_maker.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

GraphDef CallOf(const std::vector<FunctionText>& functions, const NodeDef& call) {
  GraphDef graph_def;
  graph_def.nodes.push_back({"x", "Placeholder", {}, "", {{"dtype", DType::kFloat}}});
  graph_def.nodes.push_back(call);
  graph_def.library = EncodeLibrary(functions);
  return graph_def;
}

Status ImportStatus(const GraphDef& graph_def) {
  Graph graph;
  const Status status = ImportGraphDef(graph_def, {}, &graph).status();
  if (!status.ok()) {
    EXPECT_EQ(graph.num_nodes(), 0);
    EXPECT_EQ(static_cast<int>(graph.functions()->size()), 0);
  }
  return status;
}

TEST(Functions, AreReadAndWrittenAsTheyCame) {
  const GraphDef graph_def =
      CallOf({Polynomial("p"), Negative("unused")}, CallNode("y", "p", {"x"}));
  const std::string bytes = SerializeGraphDef(graph_def);
  Graph graph;
  ASSERT_OK(ImportGraphDef(*ParseGraphDef(bytes), {}, &graph));
  EXPECT_EQ(StrJoin(graph.functions()->Names(), " "), "p unused");
  EXPECT_EQ(ToGraphDef(graph).library, graph_def.library);
  // A second graph with the same functions adds none, one with another of that name is refused.
  ASSERT_OK(ImportGraphDef(graph_def, {"again", {}}, &graph));
  EXPECT_EQ(static_cast<int>(graph.functions()->size()), 2);
  FunctionText other = Negative("p");
  EXPECT_ERROR(ImportGraphDef(CallOf({other}, CallNode("y", "p", {"x"})), {"more", {}}, &graph),
               Code::kInvalidArgument, "another one of that name");
}

TEST(Functions, ThatStepsHaveStayWhereAnImportFails) {
  Graph graph;
  ASSERT_OK(ImportGraphDef(CallOf({Polynomial("p")}, CallNode("y", "p", {"x"})), {}, &graph));
  const FunctionBody* const body = *graph.functions()->Instantiate({"p", ""});
  const NodeDef wrong = CallNode("z", "n", {"nowhere"});
  EXPECT_ERROR(ImportGraphDef(CallOf({Negative("n")}, wrong), {"more", {}}, &graph),
               Code::kInvalidArgument, "nowhere");
  EXPECT_EQ(StrJoin(graph.functions()->Names(), " "), "p");
  EXPECT_EQ(*graph.functions()->Instantiate({"p", ""}), body);
  EXPECT_EQ(body->name, "p");
}

TEST(Functions, AreOpsByTheirNames) {
  NodeDef call{"y", "p", {"x"}, "", {}};
  EXPECT_OK(ImportStatus(CallOf({Polynomial("p")}, call)));
  call.inputs = {};
  EXPECT_ERROR(ImportStatus(CallOf({Polynomial("p")}, call)), Code::kInvalidArgument, "'x' is missing");
}

TEST(Functions, WhatDoesNotFitIsRefused) {
  EXPECT_ERROR(ImportStatus(CallOf({}, CallNode("y", "p", {"x"}))), Code::kNotFound,
               "node 'y': function 'p': it is not in the graph's library");
  EXPECT_ERROR(ImportStatus(CallOf({Polynomial("p")}, CallNode("y", "p", {"x", "x"}))),
               Code::kInvalidArgument, "takes (float), but 'y' gives it (float, float)");
  EXPECT_ERROR(ImportStatus(CallOf({Polynomial("p")}, CallNode("y", "p", {"x"}, 2))),
               Code::kInvalidArgument, "gives (float), but 'y' has (float, float)");
  FunctionText wrong = Polynomial("p");
  wrong.nodes[1].inputs[0] = "square:w:0";
  EXPECT_ERROR(ImportStatus(CallOf({wrong}, CallNode("y", "p", {"x"}))), Code::kInvalidArgument,
               "'square:w:0' is not in the function");
  wrong = Polynomial("p");
  wrong.nodes[0].op = "Mull";
  EXPECT_ERROR(ImportStatus(CallOf({wrong}, CallNode("y", "p", {"x"}))), Code::kNotFound,
               "did you mean 'Mul'?");
  EXPECT_OK(ImportStatus(CallOf({wrong, Negative("n")}, CallNode("y", "n", {"x"}))));
  wrong = Polynomial("p");
  wrong.results.clear();
  EXPECT_ERROR(ImportStatus(CallOf({wrong}, CallNode("y", "p", {"x"}))), Code::kInvalidArgument,
               "nothing says what output 'y' is");
}

TEST(Functions, ThatCallThemselvesAreRefused) {
  FunctionText first = Negative("first");
  first.nodes[0] = CallNode("minus", "second", {"x"});
  first.results["y"] = "minus:output:0";
  FunctionText second = first;
  second.name = "second";
  second.nodes[0] = CallNode("minus", "first", {"x"});
  EXPECT_ERROR(ImportStatus(CallOf({first, second}, CallNode("y", "first", {"x"}))),
               Code::kInvalidArgument, "first -> second -> first");
  std::vector<FunctionText> chain;
  for (int i = 0; i < 200; ++i) {
    chain.push_back(first);
    chain.back().name = StrCat("f", i);
    chain.back().nodes[0] = CallNode("minus", StrCat("f", i + 1), {"x"});
  }
  chain.push_back(Negative("f200"));
  EXPECT_ERROR(ImportStatus(CallOf(chain, CallNode("y", "f0", {"x"}))), Code::kInvalidArgument,
               "more than 100 functions");
}

TEST(Functions, AttributesOfACallGoIntoTheBody) {
  FunctionText function = Negative("n");
  function.nodes[0].attrs["T"] = PlaceholderAttr{"T"};
  WireWriter attrs;
  attrs.Bytes(1, "n");
  attrs.Bytes(2, EncodePair("T", SerializeAttrValue(DType::kFloat)));
  NodeDef call = CallNode("y", "n", {"x"});
  EXPECT_ERROR(ImportStatus(CallOf({function}, call)), Code::kInvalidArgument,
               "does not say what attribute T is");
  call.attrs["f"] = FunctionAttr{"n", attrs.Take()};
  EXPECT_OK(ImportStatus(CallOf({function}, call)));
}

// Whatever the bytes of a library are, importing ends in a graph or a Status.
TEST(Functions, MutatedLibrariesNeverCrash) {
  GraphDef graph_def = CallOf({Polynomial("p"), Negative("n")}, CallNode("y", "p", {"x"}));
  const std::string library = graph_def.library;
  std::mt19937 random(7);
  int accepted = 0;
  for (int round = 0; round < 5000; ++round) {
    graph_def.library = library;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      graph_def.library[random() % library.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) graph_def.library.resize(random() % library.size());
    accepted += ImportStatus(graph_def).ok() ? 1 : 0;
  }
  EXPECT_TRUE(accepted > 0);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
