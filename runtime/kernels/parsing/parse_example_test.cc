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

// Asks for "i" as a ragged feature.
OpTest ParseRagged(const Tensor& serialized, DType splits) {
  const Tensor none = Tensor::Strings({0}, {});
  OpTest parse("ParseExampleV2");
  parse.Input(serialized).Input(none).Input(none).Input(none).Input(Tensor::Strings({1}, {"i"}));
  parse.Attr("num_sparse", int64_t{0}).Attr("sparse_types", std::vector<DType>{});
  parse.Attr("Tdense", std::vector<DType>{}).Attr("dense_shapes", std::vector<PartialShape>{});
  parse.Attr("ragged_value_types", std::vector<DType>{DType::kInt64});
  return parse.Attr("ragged_split_types", std::vector<DType>{splits});
}

TEST(ParseExample, ReturnsWhereRaggedRowsEnd) {
  const std::string packed("\x0a\x03\x05\xac\x02", 5), single("\x08\x07", 2);
  const Tensor batch = Tensor::Strings({3}, {Example(packed), "", Example(single)});
  ParseRagged(batch, DType::kInt32).Expect(Tensor::Vector<int64_t>({5, 300, 7}))
      .Expect(Tensor::Vector<int32_t>({0, 2, 2, 3})).Run();
  ParseRagged(Tensor::Strings({0}, {}), DType::kInt64).Expect(Tensor::Vector<int64_t>({}))
      .Expect(Tensor::Vector<int64_t>({0})).Run();
  // One Example has no rows.
  ParseRagged(Tensor::Strings({}, {Example(packed)}), DType::kInt64)
      .Expect(Tensor::Vector<int64_t>({5, 300})).Expect(Tensor::Vector<int64_t>({})).Run();
}

TEST(ParseExample, RefusesRaggedFeaturesThatAreNone) {
  const auto ask = [] { return ParseRagged(Tensor::Strings({1}, {""}), DType::kInt32); };
  const std::string floats("\x0d\x01\x02\x03\x04", 5), endless("\x0a\x02\x05\xac", 4);
  for (const std::string& list : {floats, endless}) {
    ParseRagged(Tensor::Strings({1}, {Example(list)}), DType::kInt64)
        .RunExpectingError(Code::kInvalidArgument, "Could not parse example input");
  }
  ParseRagged(Tensor::Strings({1}, {""}), DType::kFloat).RunExpectingError(Code::kInvalidArgument, "");
  ask().Attr("ragged_value_types", std::vector<DType>(2, DType::kInt64))
      .RunExpectingError(Code::kInvalidArgument, "there are 2 types of ragged values and 1 of their");
  ask().Attr("ragged_value_types", std::vector<DType>(2, DType::kInt64))
      .Attr("ragged_split_types", std::vector<DType>(2, DType::kInt64))
      .RunExpectingError(Code::kInvalidArgument, "there are 1 keys for 2 ragged features");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
