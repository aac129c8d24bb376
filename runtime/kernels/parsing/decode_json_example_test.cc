#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string Decoded(const std::string& json) {
  const auto outputs = OpTest("DecodeJSONExample").Input(Tensor::Scalar<std::string>(json)).RunOnCpu();
  EXPECT_OK(outputs.status());
  return *(*outputs)[0].data<std::string>();
}
void ExpectRefused(const std::string& json, const std::string& part) {
  OpTest("DecodeJSONExample").Input(Tensor::Scalar<std::string>(json))
      .RunExpectingError(Code::kInvalidArgument, part);
}
std::string Feature(const std::string& json) {
  return Decoded("{\"features\": {\"feature\": {\"k\": " + json + "}}}").substr(7);
}

// The bytes of messages as TensorFlow's protocol buffers write them.
TEST(DecodeJsonExample, WritesWhatProtocolBuffersDo) {
  EXPECT_EQ(Decoded("{}"), "");
  EXPECT_EQ(Decoded(" {\"features\" : null } "), "");
  EXPECT_EQ(Decoded(R"({"features": {"feature": {"k": {"bytesList": {"value": ["aGk=", "_w"]}}}}})"),
            std::string("\x0a\x10\x0a\x0e\x0a\x01k\x12\x09\x0a\x07\x0a\x02hi\x0a\x01\xff"));
  EXPECT_EQ(Feature(R"({"int64_list": {"value": [1, "-1", 1.28e2]}})"),
            std::string("\x12\x11\x1a\x0f\x0a\x0d\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x80\x01"));
  EXPECT_EQ(Feature(R"({"floatList": {"value": [1.5, "-Infinity"]}})"),
            std::string("\x12\x0c\x12\x0a\x0a\x08\0\0\xc0\x3f\0\0\x80\xff", 14));
}

TEST(DecodeJsonExample, ReadsEscapes) {
  const std::string named = Decoded(R"({"features": {"feature": {"\u00e9\ud83d\ude00\n": {}}}})");
  EXPECT_TRUE(named.find("\xc3\xa9\xf0\x9f\x98\x80\n") != std::string::npos);
}

TEST(DecodeJsonExample, RefusesWhatIsNoExample) {
  ExpectRefused("", "Error while parsing JSON");
  ExpectRefused("{\"features\": ", "expected an object");
  ExpectRefused("{} {}", "expected the end");
  ExpectRefused(R"({"feature": {}})", "no field 'feature'");
  const auto feature = [](const std::string& json, const std::string& part) {
    ExpectRefused("{\"features\": {\"feature\": {\"k\": " + json + "}}}", part);
  };
  feature(R"({"bytesList": {"value": ["a*"]}})", "not base64");
  feature(R"({"bytesList": {"value": ["a"]}})", "cut off");
  feature(R"({"int64List": {"value": [9223372036854775808]}})", "no int64");
  feature(R"({"int64List": {"value": [1.5]}})", "no int64");
  feature(R"({"floatList": {"value": [1e39]}})", "no float");
  feature(R"({"floatList": {"value": ["0x10"]}})", "expected the end");
  feature(R"({"floatList": {"value": [1,]}})", "expected a number");
  feature(R"({"floatList": {}, "int64List": {}})", "two lists");
  ExpectRefused(R"({"\ud83d": 1})", "both halves");
  ExpectRefused("{\"a\nb\": 1}", "end of a string");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
