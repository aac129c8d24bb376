#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// An Example whose feature "i" has these bytes as its Int64List.
std::string Example(const std::string& list) {
  const auto field = [](char tag, const std::string& bytes) {
    return std::string{tag, static_cast<char>(bytes.size())} + bytes;
  };
  const std::string feature = field(0x1a, list);
  const std::string entry = field(0x0a, "i") + field(0x12, feature);
  return field(0x0a, field(0x0a, entry));
}

OpTest Parse(const std::string& serialized, const PartialShape& shape) {
  OpTest parse("ParseSingleExample");
  parse.Input(Tensor::Strings({}, {serialized})).Input(Tensor::Vector<int64_t>({}));
  parse.Attr("num_sparse", int64_t{0}).Attr("sparse_keys", std::vector<std::string>{});
  parse.Attr("dense_keys", std::vector<std::string>{"i"}).Attr("sparse_types", std::vector<DType>{});
  return parse.Attr("dense_shapes", std::vector<PartialShape>{shape});
}

TEST(ParseExample, ReadsPackedAndSingleNumbers) {
  const std::string packed("\x0a\x03\x05\xac\x02", 5);
  Parse(Example(packed), PartialShape({2})).Expect(Tensor::Vector<int64_t>({5, 300})).Run();
  Parse(Example("\x08\x05\x08\x06"), PartialShape({kUnknownDim}))
      .Expect(Tensor::Vector<int64_t>({5, 6})).Run();
}

TEST(ParseExample, RefusesWhatIsNone) {
  // A number that does not end, a length beyond the message, a list of another kind of number.
  for (const std::string& list : {std::string("\x0a\x02\x05\xac", 4), std::string("\x0a\x7f\x05", 3),
                                  std::string("\x0d\x01\x02\x03\x04", 5)}) {
    Parse(Example(list), PartialShape({2}))
        .RunExpectingError(Code::kInvalidArgument, "Could not parse example input");
  }
  Parse("", PartialShape({2})).Attr("num_sparse", int64_t{7})
      .RunExpectingError(Code::kInvalidArgument, "0 sparse_types for 7 sparse features");
  Parse("", PartialShape({2})).RunExpectingError(Code::kInvalidArgument, "is required but");
  OpTest older("ParseExample");
  older.Input(Tensor::Strings({1}, {""})).Input(Tensor::Strings({0}, {}));
  older.Input(Tensor::Vector<int64_t>({})).Attr("Nsparse", int64_t{0}).Attr("Ndense", int64_t{0});
  older.Attr("sparse_types", std::vector<DType>{})
      .Attr("dense_shapes", std::vector<PartialShape>{PartialShape({2})})
      .RunExpectingError(Code::kInvalidArgument, "1 Tdense for 0 dense features");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
