#include "testing/infer_shape.h"
#include "testing/limited_work.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Words = std::vector<std::string>;

Words Values(const Result<std::vector<Tensor>>& found, size_t output) {
  EXPECT_OK(found);
  if (!found.ok()) return {};
  const Tensor& words = (*found)[output];
  return Words(words.data<std::string>(), words.data<std::string>() + words.num_elements());
}

Words Split(const std::string& op, const std::string& text, const std::string& by, AttrMap attrs) {
  OpTest test(op);
  test.Input(Tensor::Strings({1}, {text})).Input(Tensor::Strings({}, {by}));
  for (const auto& attr : attrs) test.Attr(attr.first, attr.second);
  return Values(test.RunOnCpu(), 1);
}

TEST(StringSplit, AtAnyCharacterOfTheDelimiter) {
  EXPECT_TRUE(Split("StringSplit", " x,y;;z ", ",;", {}) == (Words{" x", "y", "z "}));
  EXPECT_TRUE(Split("StringSplit", "a  b", " ", {{"skip_empty", false}}) == (Words{"a", "", "b"}));
  EXPECT_TRUE(Split("StringSplit", "ab", "", {}) == (Words{"a", "b"}));
  EXPECT_TRUE(Split("StringSplit", "", " ", {{"skip_empty", false}}).empty());
}

TEST(StringSplit, IsASparseMatrix) {
  const auto found = OpTest("StringSplit").Input(Tensor::Strings({3}, {"a b", "", "c"}))
                         .Input(Tensor::Strings({}, {" "})).RunOnCpu();
  ASSERT_OK(found);
  ExpectClose((*found)[0], MakeTensor<int64_t>({3, 2}, {0, 0, 0, 1, 2, 0}), Ulps(0));
  ExpectClose((*found)[2], MakeTensor<int64_t>({2}, {3, 2}), Ulps(0));
}

TEST(StringSplitV2, AsPython) {
  EXPECT_TRUE(Split("StringSplitV2", " a b  c ", "", {}) == (Words{"a", "b", "c"}));
  EXPECT_TRUE(Split("StringSplitV2", " a b  c ", "", {{"maxsplit", int64_t{1}}}) ==
              (Words{"a", "b  c "}));
  EXPECT_TRUE(Split("StringSplitV2", "one", "", {{"maxsplit", int64_t{1}}}) == (Words{"one", ""}));
  EXPECT_TRUE(Split("StringSplitV2", "a, b, c", ", ", {{"maxsplit", int64_t{1}}}) ==
              (Words{"a", "b, c"}));
  EXPECT_TRUE(Split("StringSplitV2", "a;;", ";", {}) == (Words{"a", "", ""}));
  EXPECT_TRUE(Split("StringSplitV2", " a ", "", {{"maxsplit", int64_t{0}}}) == (Words{" a "}));
}

TEST(StringSplit, RejectsOtherRanks) {
  OpTest("StringSplit").Input(Tensor::Strings({}, {"a"})).Input(Tensor::Strings({}, {" "}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("StringSplitV2").Input(Tensor::Strings({1}, {"a"})).Input(Tensor::Strings({1}, {" "}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(StringJoin, PlaceByPlace) {
  const auto found = OpTest("StringJoin").Input(Tensor::Strings({2}, {"a", "b"}))
                         .Input(Tensor::Strings({}, {"-"})).Input(Tensor::Strings({2}, {"c", "d"}))
                         .Attr("N", int64_t{3}).Attr("separator", std::string("+")).RunOnCpu();
  EXPECT_TRUE(Values(found, 0) == (Words{"a+-+c", "b+-+d"}));
  OpTest("StringJoin").Input(Tensor::Strings({2}, {"a", "b"})).Input(Tensor::Strings({1}, {"-"}))
      .Attr("N", int64_t{2}).RunExpectingError(Code::kInvalidArgument, "");
}

Words Joined(const std::vector<double>& axes) {
  return Values(OpTest("ReduceJoin")
                    .Input(Tensor::Strings({2, 3}, {"a", "b", "c", "d", "e", "f"}))
                    .Input(MakeTensor<int32_t>({static_cast<int64_t>(axes.size())}, axes))
                    .RunOnCpu(), 0);
}

TEST(ReduceJoin, AlongAxesInTheirOrder) {
  EXPECT_TRUE(Joined({0}) == (Words{"ad", "be", "cf"}));
  EXPECT_TRUE(Joined({-1}) == (Words{"abc", "def"}));
  EXPECT_TRUE(Joined({0, 1}) == (Words{"adbecf"}));
  EXPECT_TRUE(Joined({1, 0}) == (Words{"abcdef"}));
  EXPECT_TRUE(Joined({}) == (Words{"a", "b", "c", "d", "e", "f"}));
}

TEST(ReduceJoin, ShapeIsThatOfAReduction) {
  InferShape joined("ReduceJoin"), kept("ReduceJoin");
  joined.Input(DType::kString, {2, -1, 4}).Input(MakeTensor<int32_t>({2}, {0, -1}));
  EXPECT_EQ(*joined.Infer(), PartialShape({-1}));
  kept.Input(DType::kString, {2, -1, 4}).Input(MakeTensor<int32_t>({}, {0}));
  EXPECT_EQ(*kept.Attr("keep_dims", true).Infer(), PartialShape({1, -1, 4}));
}

TEST(ReduceJoin, RejectsWrongAxes) {
  for (const double axis : {2.0, -3.0}) {
    OpTest("ReduceJoin").Input(Tensor::Strings({1, 1}, {"a"}))
        .Input(MakeTensor<int32_t>({1}, {axis})).RunExpectingError(Code::kInvalidArgument, "");
  }
  OpTest("ReduceJoin").Input(Tensor::Strings({1, 1}, {"a"}))
      .Input(MakeTensor<int32_t>({2}, {1, -1}))
      .RunExpectingError(Code::kInvalidArgument, "duplicate dimension");
}

// Each looks, while it goes over many strings, whether its step must end.
TEST(StringSplit, ManyStringsEndWithTheirStep) {
  const Tensor many = Tensor::Strings({20000}, Words(20000, "a b"));
  const Tensor one = Tensor::Strings({1}, {std::string(20000, ',')});
  OpTest split("StringSplit"), cut("StringSplitV2"), join("StringJoin"), all("ReduceJoin");
  split.Input(many).Input(Tensor::Strings({}, {" "}));
  cut.Input(one).Input(Tensor::Strings({}, {","}));
  join.Input(many).Input(many).Attr("N", int64_t{2});
  all.Input(many).Input(Tensor::Vector<int32_t>({0}));
  for (OpTest* test : {&split, &cut, &join, &all}) {
    ASSERT_OK(test->RunOnCpu());
    EXPECT_ERROR(StoppedAfter(2, [test] { return test->RunOnCpu().status(); }), Code::kCancelled,
                 "enough");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
