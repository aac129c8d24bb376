#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string Field(char tag, const std::string& bytes) {
  return std::string{tag, static_cast<char>(bytes.size())} + bytes;
}
// A Feature of an Int64List; an entry of a map.
std::string Ints(const std::string& packed) { return Field(0x1a, Field(0x0a, packed)); }
std::string Entry(const std::string& key, const std::string& value) {
  return Field(0x0a, Field(0x0a, key) + Field(0x12, value));
}
// A SequenceExample with the context feature "c" and the list "l" of these features.
std::string Sequence(const std::vector<std::string>& features) {
  std::string list;
  for (const std::string& feature : features) list += Field(0x0a, feature);
  return Field(0x0a, Entry("c", Ints("\x07"))) + Field(0x12, Entry("l", list));
}

// Asks for "c" and, as dense or sparse, for "l".
OpTest Parse(const std::vector<std::string>& serialized, bool sparse, bool may_miss = false) {
  const Tensor none = Tensor::Strings({0}, {}), list = Tensor::Strings({1}, {"l"});
  OpTest parse("ParseSequenceExampleV2");
  parse.Input(Tensor::Strings({static_cast<int64_t>(serialized.size())}, serialized)).Input(none);
  parse.Input(none).Input(Tensor::Strings({1}, {"c"})).Input(none);
  parse.Input(sparse ? list : none).Input(sparse ? none : list).Input(none);
  parse.Input(sparse ? Tensor::Vector<bool>({}) : Tensor::Vector<bool>({may_miss}));
  parse.Input(Tensor::Vector<int64_t>({}));
  const std::vector<DType> types{DType::kInt64}, nothing;
  parse.Attr("Tcontext_dense", types).Attr("Nfeature_list_sparse", int64_t{sparse});
  parse.Attr("Nfeature_list_dense", int64_t{!sparse});
  parse.Attr("context_dense_shapes", std::vector<PartialShape>{PartialShape(Shape{})});
  parse.Attr("feature_list_sparse_types", sparse ? types : nothing);
  parse.Attr("feature_list_dense_types", sparse ? nothing : types);
  parse.Attr("feature_list_dense_shapes", sparse ? std::vector<PartialShape>{}
                                                 : std::vector<PartialShape>{PartialShape({2})});
  return parse;
}

TEST(ParseSequenceExample, FillsShortSequencesUp) {
  Parse({Sequence({Ints("\x01\x02"), Ints("\x03\x04")}), Sequence({Ints("\x05\x06")})}, false)
      .Expect(Tensor::Vector<int64_t>({7, 7}))
      .Expect(MakeTensor<int64_t>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 0, 0}))
      .Expect(Tensor::Vector<int64_t>({2, 1})).Run();
}

TEST(ParseSequenceExample, ReturnsWhereSparseValuesStand) {
  Parse({Sequence({}), Sequence({Ints("\x01"), "", Ints("\x02\x03")})}, true)
      .Expect(Tensor::Vector<int64_t>({7, 7}))
      .Expect(MakeTensor<int64_t>({3, 3}, {1, 0, 0, 1, 2, 0, 1, 2, 1}))
      .Expect(Tensor::Vector<int64_t>({1, 2, 3})).Expect(Tensor::Vector<int64_t>({2, 3, 2})).Run();
}

TEST(ParseSequenceExample, RefusesWhatIsNone) {
  const std::string context = Field(0x0a, Entry("c", Ints("\x07")));
  Parse({context}, false).RunExpectingError(Code::kInvalidArgument, "required but could not be found");
  Parse({context}, false, true).Expect(Tensor::Vector<int64_t>({7}))
      .Expect(MakeTensor<int64_t>({1, 0, 2}, {})).Expect(Tensor::Vector<int64_t>({0})).Run();
  Parse({Sequence({Ints("\x01")})}, false)
      .RunExpectingError(Code::kInvalidArgument, "values of step 0");
  Parse({Sequence({Field(0x0a, Field(0x0a, "x"))})}, true)
      .RunExpectingError(Code::kInvalidArgument, "Expected type: int64, Actual type: string");
  const std::string endless = Sequence({Ints("\x01\xff")});
  for (const std::string& damaged : {std::string("\x12\x05", 2), endless}) {
    Parse({damaged}, true).RunExpectingError(Code::kInvalidArgument, "Could not parse");
  }
}

// Asks for "c" of the context and for "l" as ragged ones.
OpTest ParseRagged(const Tensor& serialized) {
  const Tensor none = Tensor::Strings({0}, {});
  OpTest parse("ParseSequenceExampleV2");
  parse.Input(serialized).Input(none).Input(none).Input(none).Input(Tensor::Strings({1}, {"c"}));
  parse.Input(none).Input(none).Input(Tensor::Strings({1}, {"l"})).Input(Tensor::Vector<bool>({}));
  const std::vector<DType> types{DType::kInt64}, splits{DType::kInt32};
  parse.Attr("context_ragged_value_types", types).Attr("context_ragged_split_types", splits);
  parse.Attr("feature_list_ragged_value_types", types);
  return parse.Attr("feature_list_ragged_split_types", splits);
}

TEST(ParseSequenceExample, ReturnsWhereRaggedStepsEnd) {
  const Tensor batch = Tensor::Strings(
      {3}, {Sequence({Ints("\x01\x02"), "", Ints("\x03")}), "", Sequence({Ints("\x04")})});
  ParseRagged(batch).Expect(Tensor::Vector<int64_t>({7, 7}))
      .Expect(Tensor::Vector<int32_t>({0, 1, 1, 2})).Expect(Tensor::Vector<int64_t>({1, 2, 3, 4}))
      .Expect(Tensor::Vector<int32_t>({0, 3, 3, 4}))
      .Expect(Tensor::Vector<int32_t>({0, 2, 2, 3, 4})).Run();
  // Of one message the steps alone have rows.
  ParseRagged(Tensor::Strings({}, {Sequence({Ints("\x01\x02"), Ints("\x03")})}))
      .Expect(Tensor::Vector<int64_t>({7})).Expect(Tensor::Vector<int32_t>({}))
      .Expect(Tensor::Vector<int64_t>({1, 2, 3})).Expect(Tensor::Vector<int32_t>({}))
      .Expect(Tensor::Vector<int32_t>({0, 2, 3})).Run();
}

TEST(ParseSequenceExample, RefusesRaggedListsThatAreNone) {
  const auto refused = [](const std::string& message, const std::string& why) {
    ParseRagged(Tensor::Strings({1}, {message})).RunExpectingError(Code::kInvalidArgument, why);
  };
  refused(Sequence({Field(0x0a, Field(0x0a, "x"))}), "Expected type: int64, Actual type: string");
  refused(Sequence({Ints("\x01\xff")}), "Could not parse");
  refused(Field(0x0a, Entry("c", Field(0x0a, Field(0x0a, "x")))), "Expected type: int64");
  ParseRagged(Tensor::Strings({1}, {""}))
      .Attr("context_ragged_split_types", std::vector<DType>(2, DType::kInt32))
      .RunExpectingError(Code::kInvalidArgument, "there are 1 types of ragged values and 2 of their");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
