// How the ops are defined; passes/inline_functions_test.cc and session/functions_test.cc have what
// becomes of them.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const FunctionAttr kNone{"none", ""};

TEST(FunctionalOps, OutputsHaveTheTypesAndShapesThatTheNodeSays) {
  Graph graph;
  Node* x = *graph.AddNode({"x", "Placeholder", {}, {}, {{"dtype", DType::kFloat}}, ""});
  const std::vector<PartialShape> shapes{PartialShape({2, -1})};
  const auto loop = graph.AddNode({"loop", "While", {{x, 0}}, {},
                                   {{"cond", kNone}, {"body", kNone}, {"output_shapes", shapes}}, ""});
  ASSERT_OK(loop);
  EXPECT_EQ((*loop)->output(0).shape.ToString(), "[2,?]");
  const std::vector<DType> types{DType::kInt32, DType::kFloat};
  const auto call =
      graph.AddNode({"call", "PartitionedCall", {{x, 0}}, {}, {{"f", kNone}, {"Tout", types}}, ""});
  ASSERT_OK(call);
  EXPECT_EQ((*call)->num_outputs(), 2);
  EXPECT_TRUE((*call)->output(0).dtype == DType::kInt32);
}

TEST(FunctionalOps, ACaseHasABranch) {
  Graph graph;
  Node* index = *graph.AddNode({"i", "Placeholder", {}, {}, {{"dtype", DType::kInt32}}, ""});
  const std::vector<FunctionAttr> none;
  EXPECT_ERROR(graph.AddNode({"case", "Case", {{index, 0}}, {},
                              {{"branches", none}, {"Tout", std::vector<DType>()}}, ""}),
               Code::kInvalidArgument, "branches must be at least 1");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
