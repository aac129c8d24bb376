#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Decode(const std::string& record) {
  OpTest decode("DecodeCSV");
  return decode.Input(Tensor::Strings({1}, {record}));
}
const Tensor kNothing = Tensor::Vector<float>({});

TEST(DecodeCsv, ReadsQuotedFieldsNumbersAndDefaults) {
  Decode("\"a,\"\"b\", 2.5 ,").Input(Tensor::Strings({0}, {})).Input(kNothing)
      .Input(Tensor::Vector<int64_t>({7})).Expect(Tensor::Strings({1}, {"a,\"b"}))
      .Expect(Tensor::Vector<float>({2.5f})).Expect(Tensor::Vector<int64_t>({7})).Run();
  Decode("1|\"2|-|4").Attr("field_delim", std::string("|")).Attr("use_quote_delim", false)
      .Attr("na_value", std::string("-")).Attr("select_cols", std::vector<int64_t>{1, 2})
      .Input(Tensor::Strings({}, {"x"})).Input(Tensor::Scalar<double>(9))
      .Expect(Tensor::Strings({1}, {"\"2"})).Expect(Tensor::Vector<double>({9})).Run();
}

TEST(DecodeCsv, RefusesWhatIsNone) {
  for (const char* record : {"1,2", "1\"2", "\"1", "\"1\"2", "x", ""}) {
    Decode(record).Input(kNothing).RunExpectingError(Code::kInvalidArgument, "");
  }
  Decode(",").Input(kNothing).Input(kNothing)
      .RunExpectingError(Code::kInvalidArgument, "Field 0 is required but missing in record 0!");
  Decode("99999999999").Input(Tensor::Vector<int32_t>({}))
      .RunExpectingError(Code::kInvalidArgument, "is not a valid int32: 99999999999");
  Decode("1").Input(kNothing).Attr("select_cols", std::vector<int64_t>{-1})
      .RunExpectingError(Code::kInvalidArgument, "non-negative");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
