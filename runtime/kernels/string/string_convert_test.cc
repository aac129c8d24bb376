// Hashes are those of TensorFlow 2.21.
#include "testing/limited_work.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string FirstString(OpTest test) {
  const auto found = test.RunOnCpu();
  EXPECT_OK(found);
  return found.ok() ? (*found)[0].data<std::string>()[0] : "";
}
Tensor Text(const std::string& text) { return Tensor::Strings({}, {text}); }

TEST(AsString, AsPrintf) {
  const Tensor number = Tensor::Scalar<float>(-2.25f);
  EXPECT_EQ(FirstString(OpTest("AsString").Input(number)), "-2.250000");
  EXPECT_EQ(FirstString(OpTest("AsString").Input(number).Attr("precision", int64_t{1})), "-2.2");
  EXPECT_EQ(FirstString(OpTest("AsString").Input(number).Attr("scientific", true)),
            "-2.250000e+00");
  EXPECT_EQ(FirstString(OpTest("AsString").Input(number).Attr("shortest", true)), "-2.25");
  EXPECT_EQ(FirstString(OpTest("AsString").Input(Tensor::Scalar<int64_t>(-20))
                            .Attr("width", int64_t{6}).Attr("fill", std::string("0"))),
            "-00020");
  EXPECT_EQ(FirstString(OpTest("AsString").Input(Tensor::Scalar<bool>(true))), "true");
  EXPECT_EQ(FirstString(OpTest("AsString").Input(Tensor::Scalar<uint8_t>(255))), "255");
}

TEST(AsString, RejectsWrongFormats) {
  OpTest("AsString").Input(Tensor::Scalar<float>(1)).Attr("scientific", true)
      .Attr("shortest", true).RunExpectingError(Code::kInvalidArgument, "both");
  OpTest("AsString").Input(Tensor::Scalar<int32_t>(1)).Attr("precision", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "precision");
  OpTest("AsString").Input(Tensor::Scalar<float>(1)).Attr("fill", std::string("%n"))
      .RunExpectingError(Code::kInvalidArgument, "Fill");
  OpTest("AsString").Input(Tensor::Scalar<float>(1)).Attr("width", int64_t{1} << 40)
      .RunExpectingError(Code::kInvalidArgument, "width");
}

TEST(StringToNumber, OfAllTypes) {
  OpTest("StringToNumber").Input(Tensor::Strings({4}, {" 1.5 ", "-2e3", "inf", "3"}))
      .Expect(MakeTensor<float>({4}, {1.5, -2000, INFINITY, 3})).Run();
  OpTest("StringToNumber").Input(Text("0.1")).Attr("out_type", DType::kDouble)
      .Expect(Tensor::Scalar<double>(0.1)).Run();
  OpTest("StringToNumber").Input(Text("-7 ")).Attr("out_type", DType::kInt32)
      .Expect(Tensor::Scalar<int32_t>(-7)).Run();
  OpTest("StringToNumber").Input(Text("99999999999")).Attr("out_type", DType::kInt64)
      .Expect(Tensor::Scalar<int64_t>(99999999999)).Run();
}

TEST(StringToNumber, RejectsWhatIsNone) {
  for (const char* text : {"", "x", "1.5.2", "1 2"}) {
    OpTest("StringToNumber").Input(Text(text))
        .RunExpectingError(Code::kInvalidArgument, "could not correctly convert");
  }
  for (const char* text : {"99999999999", "1.5"}) {
    OpTest("StringToNumber").Input(Text(text)).Attr("out_type", DType::kInt32)
        .RunExpectingError(Code::kInvalidArgument, "could not correctly convert");
  }
}

TEST(StringToHashBucket, AsInTensorFlow) {
  const Tensor words = Tensor::Strings(
      {6}, {"", "a", "hello", "0123456789abcdef", std::string(33, 'z'), std::string(200, 'r')});
  const auto check = [&words](const std::string& op, const std::vector<int64_t>& buckets) {
    OpTest test(op);
    test.Input(words).Attr("num_buckets", int64_t{1} << 62);
    if (op == "StringToHashBucketStrong") test.Attr("key", std::vector<int64_t>{123, -456});
    const auto found = test.RunOnCpu();
    ASSERT_OK(found);
    for (size_t i = 0; i < buckets.size(); ++i) {
      EXPECT_EQ((*found)[0].data<int64_t>()[i], buckets[i]);
    }
  };
  check("StringToHashBucket", {105434511174508091, 2996632905371535868, 1331861223480393034,
      1490712428580208486, 4527227941403067175, 1740674258089271334});
  check("StringToHashBucketFast", {1936946117179621455, 3694432073954588131, 3786372426573024488,
      1493332391325024359, 1983000239170337647, 19414980367882009});
  check("StringToHashBucketStrong", {139821925654099718, 3586765532990731589, 2336341553116584560,
      689982576850388049, 1161621855122612343, 3583464111093921128});
}

TEST(StringToHashBucket, RejectsWrongKeys) {
  OpTest("StringToHashBucketStrong").Input(Text("a")).Attr("num_buckets", int64_t{2})
      .Attr("key", std::vector<int64_t>{1}).RunExpectingError(Code::kInvalidArgument, "Key");
}

TEST(StringLength, BytesOrCharacters) {
  const Tensor text = Text("\xc3\xa9t");
  OpTest("StringLength").Input(text).Expect(Tensor::Scalar<int32_t>(3)).Run();
  OpTest("StringLength").Input(text).Attr("unit", std::string("UTF8_CHAR"))
      .Expect(Tensor::Scalar<int32_t>(2)).Run();
}

OpTest Substr(int32_t begin, int32_t length) {
  OpTest test("Substr");
  test.Input(Text("h\xc3\xa9llo")).Input(Tensor::Scalar<int32_t>(begin))
      .Input(Tensor::Scalar<int32_t>(length));
  return test;
}

TEST(Substr, FromBothEnds) {
  EXPECT_EQ(FirstString(Substr(3, 2)), "ll");
  EXPECT_EQ(FirstString(Substr(-2, 100)), "lo");
  EXPECT_EQ(FirstString(Substr(6, 1)), "");
  EXPECT_EQ(FirstString(Substr(1, 2).Attr("unit", std::string("UTF8_CHAR"))), "\xc3\xa9l");
  Substr(7, 1).RunExpectingError(Code::kInvalidArgument, "out of range");
  Substr(-7, 1).RunExpectingError(Code::kInvalidArgument, "out of range");
}

TEST(Substr, NegativeLengthsAsInTensorFlow) {
  const std::string characters = "UTF8_CHAR";
  EXPECT_EQ(FirstString(Substr(1, -1)), "\xc3\xa9llo");
  EXPECT_EQ(FirstString(Substr(-2, -7)), "lo");
  EXPECT_EQ(FirstString(Substr(1, -1).Attr("unit", characters)), "");
  Substr(-2, -1).Attr("unit", characters)
      .RunExpectingError(Code::kInvalidArgument, "out of range");
}

TEST(Substr, PlacesForEachString) {
  const Tensor words = Tensor::Strings({2}, {"abc", "def"});
  const auto found = OpTest("Substr").Input(words).Input(MakeTensor<int64_t>({2}, {0, 1}))
                         .Input(MakeTensor<int64_t>({2}, {1, 2})).RunOnCpu();
  ASSERT_OK(found);
  EXPECT_EQ((*found)[0].data<std::string>()[0], "a");
  EXPECT_EQ((*found)[0].data<std::string>()[1], "ef");
  OpTest("Substr").Input(words).Input(MakeTensor<int64_t>({2}, {0, 1}))
      .Input(MakeTensor<int64_t>({1}, {1})).RunExpectingError(Code::kInvalidArgument, "");
}

TEST(Base64, ThereAndBack) {
  const struct {
    const char* text;
    const char* padded;
  } cases[] = {{"", ""}, {"a", "YQ=="}, {"ab", "YWI="}, {"abc", "YWJj"}, {"\xff\xfe", "__4="}};
  for (const auto& one : cases) {
    EXPECT_EQ(FirstString(OpTest("EncodeBase64").Input(Text(one.text)).Attr("pad", true)),
              one.padded);
    const std::string bare = FirstString(OpTest("EncodeBase64").Input(Text(one.text)));
    EXPECT_EQ(bare.find('='), std::string::npos);
    EXPECT_EQ(FirstString(OpTest("DecodeBase64").Input(Text(one.padded))), one.text);
    EXPECT_EQ(FirstString(OpTest("DecodeBase64").Input(Text(bare))), one.text);
  }
  for (const char* text : {"a", "ab=", "a*bc", "abcd====", "a b c"}) {
    OpTest("DecodeBase64").Input(Text(text)).RunExpectingError(Code::kInvalidArgument, "base64");
  }
}

TEST(StringStrip, AndLetters) {
  EXPECT_EQ(FirstString(OpTest("StringStrip").Input(Text(" \ta b\n"))), "a b");
  EXPECT_EQ(FirstString(OpTest("StringLower").Input(Text("\xc3\x89T"))), "\xc3\x89t");
  EXPECT_EQ(FirstString(OpTest("StringUpper").Input(Text("Ab1"))), "AB1");
  OpTest("StringUpper").Input(Text("a")).Attr("encoding", std::string("utf-8"))
      .RunExpectingError(Code::kUnimplemented, "utf-8");
}

TEST(AsString, EndsWithItsStep) {
  OpTest test("AsString");
  test.Input(MakeTensor<float>({20000}, std::vector<double>(20000, 1.5)));
  EXPECT_ERROR(StoppedAfter(2, [&test] { return test.RunOnCpu().status(); }), Code::kCancelled,
               "enough");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
