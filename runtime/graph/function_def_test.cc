#include "graph/function_def.h"

#include "graph/function_library.h"
#include "testing/function_maker.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(FunctionDef, BecomesNodesWithPlaceholders) {
  FunctionText text = Polynomial("p");
  text.control_results = {"square"};
  const Result<FunctionDef> function = ParseFunctionDef(EncodeFunction(text));
  ASSERT_OK(function);
  EXPECT_EQ(function->signature.name, "p");
  const FunctionLibrary none;
  const Result<FunctionNodes> nodes = FunctionAsNodes(*function, {}, none);
  ASSERT_OK(nodes);
  EXPECT_EQ(nodes->graph_def.nodes[0].op, "Placeholder");
  EXPECT_EQ(StrJoin(nodes->graph_def.nodes[2].inputs, " "), "square:0 x:0");
  EXPECT_EQ(nodes->results[0].first, "sum");
  EXPECT_EQ(nodes->control_results[0], "square");
}

TEST(FunctionDef, OutputsAreCountedOverTheArgumentsOfTheirOp) {
  FunctionText text = Negative("f");
  const Tensor axis = Tensor::Scalar<int32_t>(0);
  text.nodes = {ConstNode("axis", axis),
                {"parts", "Split", {"axis:output:0", "x"}, "",
                 {{"T", DType::kFloat}, {"num_split", int64_t{3}}}}};
  text.results["y"] = "parts:output:2";
  const FunctionLibrary none;
  const Result<FunctionNodes> nodes =
      FunctionAsNodes(*ParseFunctionDef(EncodeFunction(text)), {}, none);
  ASSERT_OK(nodes);
  EXPECT_EQ(nodes->results[0].second, 2);
  text.results["y"] = "parts:output:3";
  EXPECT_ERROR(FunctionAsNodes(*ParseFunctionDef(EncodeFunction(text)), {}, none),
               Code::kInvalidArgument, "not in the function");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
