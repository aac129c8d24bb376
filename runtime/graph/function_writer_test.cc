#include "graph/function_writer.h"

#include "graph/attr_wire.h"
#include "graph/function_library.h"
#include "graph/wire_format.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Node* Add(Graph* graph, NodeSpec spec) {
  const Result<Node*> node = graph->AddNode(std::move(spec));
  EXPECT_OK(node);
  return node.ok() ? *node : nullptr;
}

TEST(FunctionWriter, WhatIsWrittenIsReadAgain) {
  Graph outer;
  Graph body(outer.functions());
  Node* x = Add(&body, {"x", "Placeholder", {}, {},
                        {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}}, ""});
  Node* parts = Add(&body, {"parts", "Unpack", {{x, 0}}, {}, {{"num", int64_t{2}}}, ""});
  Node* sum = Add(&body, {"sum", "AddV2", {{parts, 0}, {parts, 1}}, {parts}, {}, ""});
  const auto encoded = EncodeFunction(body, "f", {x}, {{sum, 0}, {x, 0}, {parts, 1}});
  ASSERT_OK(encoded);
  WireWriter library;
  library.Bytes(1, *encoded);
  ASSERT_OK(outer.functions()->Add(library.Take()));
  const auto read = outer.functions()->Instantiate({"f", FunctionNamed("f").encoded});
  ASSERT_OK(read);
  const FunctionBody& made = **read;
  EXPECT_EQ(made.arguments[0]->output(0).shape, (PartialShape{2}));
  EXPECT_EQ(made.results[0].node->op().name, "AddV2");
  EXPECT_TRUE(made.results[1].node == made.arguments[0]);
  EXPECT_EQ(made.results[2].index, 1);
  EXPECT_EQ(made.results[0].node->control_inputs().size(), size_t{1});
  EXPECT_ERROR(EncodeFunction(body, "g", {sum}, {}), Code::kInvalidArgument, "no Placeholder");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
