// What is expected is what RE2 in TensorFlow 2.21 makes of the same.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string Replaced(const std::string& text, const std::string& pattern,
                     const std::string& rewrite, bool all = true) {
  const auto found = OpTest("RegexReplace").Input(Tensor::Strings({}, {text}))
                         .Input(Tensor::Strings({}, {pattern}))
                         .Input(Tensor::Strings({}, {rewrite})).Attr("replace_global", all)
                         .RunOnCpu();
  EXPECT_OK(found);
  return found.ok() ? (*found)[0].data<std::string>()[0] : "";
}

TEST(RegexReplace, AllOrTheFirst) {
  EXPECT_EQ(Replaced("banana", "an", "o"), "booa");
  EXPECT_EQ(Replaced("banana", "an", "o", false), "boana");
  EXPECT_EQ(Replaced("hello world", "(\\w+) (\\w+)", "\\2 \\1"), "world hello");
  EXPECT_EQ(Replaced("abcd", "(a|ab)(c|bcd)(d*)", "[\\1|\\2|\\3]"), "[a|bcd|]");
}

TEST(RegexReplace, EmptyMatches) {
  EXPECT_EQ(Replaced("ab", "", "-"), "-a-b-");
  EXPECT_EQ(Replaced("axb", "x*", "-"), "-a-b-");
  EXPECT_EQ(Replaced("\xc3\xa9", "", "-"), "-\xc3\xa9-");
  EXPECT_EQ(Replaced("aa", "(|a)+", "f"), "fafaf");
  EXPECT_EQ(Replaced("ab", "^", ">"), ">ab");
  EXPECT_EQ(Replaced("ab", "$", "<"), "ab<");
}

TEST(RegexReplace, ClassesAndCounts) {
  EXPECT_EQ(Replaced("aaaaaa", "a{2,3}", "Y"), "YY");
  EXPECT_EQ(Replaced("aaa", "a+?", "X"), "XXX");
  EXPECT_EQ(Replaced("a-z", "[a\\-z]", "Q"), "QQQ");
  EXPECT_EQ(Replaced("]a", "[]a]", "Q"), "QQ");
  EXPECT_EQ(Replaced("a b\tc", "[[:space:]]", "_"), "a_b_c");
  EXPECT_EQ(Replaced("x1y22", "\\d+", "#"), "x#y#");
  EXPECT_EQ(Replaced("aBc", "[^a-z]", ""), "ac");
  EXPECT_EQ(Replaced("\xc3\xa9t", ".", "o"), "oo");
  EXPECT_EQ(Replaced("\xc3\xa9t", "[^a]", "o"), "oo");
  EXPECT_EQ(Replaced("no now", "\\bno\\b", "yes"), "yes now");
  EXPECT_EQ(Replaced("a{,3}", "a{,3}", "z"), "z");
}

TEST(RegexReplace, TakesNoTimeOverManyMatchesOfHardPatterns) {
  const std::string text(100000, 'a');
  EXPECT_EQ(Replaced(text, "(a|a)*b|a", "x"), std::string(100000, 'x'));
  EXPECT_EQ(Replaced(text + "b", "(a|a)*b|a", "x"), "x");
}

// 2^13 states, of which it keeps some; and a match that is longer than a block.
TEST(RegexReplace, ForgetsStatesAndFindsThemAgain) {
  std::string text;
  uint32_t state = 1;
  for (int i = 0; i < 30000; ++i) {
    state = state * 1664525 + 1013904223;
    text += (state >> 20) % 2 == 0 ? 'a' : 'b';
  }
  const std::string end = text.substr(text.size() - 12);
  EXPECT_EQ(Replaced(text + "c" + text, "([ab]*)(a|b)([ab]{12})c", "\\2\\3"),
            text.substr(text.size() - 13, 1) + end + text);
  EXPECT_EQ(Replaced(text + "-", "(?:[ab]{12}a|[ab]{12}b)+", ""), text.substr(30000 / 13 * 13) + "-");
}

TEST(RegexReplace, TakesNoTimeOverHardPatterns) {
  EXPECT_EQ(Replaced(std::string(3000, 'a'), "(a*)*b", "x"), std::string(3000, 'a'));
}

TEST(RegexReplace, RejectsMalformedPatterns) {
  const std::string deep(3000, '(');
  for (const std::string& pattern : {std::string("("), std::string(")"), std::string("a**"),
                                     std::string("[a"), std::string("\\q"), std::string("*a"),
                                     std::string("a{2000}"), std::string("[z-a]"),
                                     std::string("(((((((a{900}){900}){900}){900})))){900}"), deep}) {
    OpTest("StaticRegexReplace").Input(Tensor::Strings({}, {"a"})).Attr("pattern", pattern)
        .Attr("rewrite", std::string("x"))
        .RunExpectingError(Code::kInvalidArgument, "Invalid pattern");
  }
  OpTest("StaticRegexReplace").Input(Tensor::Strings({}, {"a"})).Attr("pattern", std::string("a"))
      .Attr("rewrite", std::string("\\3")).RunExpectingError(Code::kInvalidArgument, "group");
  OpTest("RegexReplace").Input(Tensor::Strings({}, {"a"})).Input(Tensor::Strings({1}, {"a"}))
      .Input(Tensor::Strings({}, {"a"})).RunExpectingError(Code::kInvalidArgument, "scalar");
}

TEST(RegexFullMatch, TheWholeString) {
  const Tensor texts = Tensor::Strings({3}, {"s3://x", "s3", "line1\nline2"});
  OpTest("StaticRegexFullMatch").Input(texts).Attr("pattern", std::string("^s3://.*"))
      .Expect(MakeTensor<bool>({3}, {1, 0, 0})).Run();
  OpTest("RegexFullMatch").Input(texts).Input(Tensor::Strings({}, {"[a-z]+\\d(\n.*)?|s3"}))
      .Expect(MakeTensor<bool>({3}, {0, 1, 1})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
