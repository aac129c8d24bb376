#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Placeholder, AsksForAFeed) {
  OpTest("Placeholder").Attr("dtype", DType::kFloat).Attr("shape", PartialShape({-1, 3}))
      .RunExpectingError(Code::kInvalidArgument,
                         "You must feed a value for placeholder tensor 'op' with dtype float and "
                         "shape [?,3]");
  OpTest("Placeholder").Attr("dtype", DType::kInt64)
      .RunExpectingError(Code::kInvalidArgument, "placeholder tensor 'op' with dtype int64");
}

TEST(Placeholder, HasTheShapeOfItsAttribute) {
  Graph graph;
  const AttrMap attrs{{"dtype", DType::kFloat}, {"shape", PartialShape({-1, 3})}};
  const Result<Node*> node = graph.AddNode({"x", "Placeholder", {}, {}, attrs, ""});
  ASSERT_OK(node);
  EXPECT_EQ((*node)->output(0).shape, PartialShape({-1, 3}));
}

TEST(PlaceholderWithDefault, GivesTheDefault) {
  const Tensor value = MakeTensor<float>({2}, {1, 2});
  OpTest("PlaceholderWithDefault").Input(value).Attr("shape", PartialShape({-1})).Expect(value)
      .Run();
}

TEST(PlaceholderWithDefault, RejectsADefaultThatDoesNotFit) {
  OpTest("PlaceholderWithDefault").Input(MakeTensor<float>({2}, {1, 2}))
      .Attr("shape", PartialShape({3})).RunExpectingError(Code::kInvalidArgument, "incompatible");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
