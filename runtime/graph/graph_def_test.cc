#include "graph/graph_def.h"

#include <algorithm>
#include <random>

#include "graph/tensor_proto.h"
#include "graph/wire_format.h"
#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// x -> a -> b, with a control edge x -> b.
std::string SmallGraph() {
  Graph graph;
  const Tensor value = MakeTensor<float>({2, 2}, {1, -2, 3, -4});
  Node* x = *graph.AddNode({"x", "Const", {}, {}, {{"value", value}, {"dtype", DType::kFloat}}, ""});
  Node* a = *graph.AddNode({"scope/a", "Relu", {{x, 0}}, {}, {}, "/cpu:0"});
  EXPECT_OK(graph.AddNode({"b", "Relu", {{a, 0}}, {x}, {{"_note", std::string("kept")}}, ""}));
  return SerializeGraphDef(ToGraphDef(graph));
}

TEST(GraphDef, RoundTripGivesTheSameBytes) {
  const std::string bytes = SmallGraph();
  const Result<GraphDef> parsed = ParseGraphDef(bytes);
  ASSERT_OK(parsed);
  EXPECT_TRUE(SerializeGraphDef(*parsed) == bytes);
  EXPECT_EQ(parsed->nodes[1].device, "/cpu:0");
  EXPECT_EQ(StrJoin(parsed->nodes[2].inputs, " "), "scope/a ^x");
}

TEST(GraphDef, ImportsInAnyOrderUnderAPrefix) {
  GraphDef graph_def = *ParseGraphDef(SmallGraph());
  std::swap(graph_def.nodes[0], graph_def.nodes[2]);
  Graph graph;
  const auto nodes = ImportGraphDef(graph_def, {"net", {}}, &graph);
  ASSERT_OK(nodes);
  EXPECT_EQ((*nodes)[0]->name(), "net/b");
  EXPECT_EQ((*nodes)[0]->control_inputs()[0]->name(), "net/x");
}

TEST(GraphDef, InputMapReplacesANode) {
  Graph graph;
  const Tensor value = MakeTensor<float>({3}, {1, 2, 3});
  Node* mine =
      *graph.AddNode({"mine", "Const", {}, {}, {{"value", value}, {"dtype", DType::kFloat}}, ""});
  const GraphDef graph_def = *ParseGraphDef(SmallGraph());
  const auto nodes = ImportGraphDef(graph_def, {"", {{"x", {mine, 0}}}}, &graph);
  ASSERT_OK(nodes);
  EXPECT_EQ((*nodes)[1]->output(0).shape.ToString(), "[3]");
}

TEST(GraphDef, AFailedImportLeavesTheGraphAsItWas) {
  GraphDef graph_def = *ParseGraphDef(SmallGraph());
  graph_def.nodes[2].op = "Rellu";
  Graph graph;
  EXPECT_ERROR(ImportGraphDef(graph_def, {}, &graph), Code::kNotFound, "did you mean 'Relu'?");
  EXPECT_EQ(graph.num_nodes(), 0);
  graph_def.nodes[2].op = "Relu";
  graph_def.nodes[1].inputs[0] = "b";
  EXPECT_ERROR(ImportGraphDef(graph_def, {}, &graph), Code::kInvalidArgument, "cycle");
  graph_def.nodes[1].inputs[0] = "x:7";
  EXPECT_ERROR(ImportGraphDef(graph_def, {}, &graph), Code::kInvalidArgument, "only 1 outputs");
  graph_def.nodes[1].inputs[0] = "nowhere";
  EXPECT_ERROR(ImportGraphDef(graph_def, {}, &graph), Code::kInvalidArgument, "not in the graph");
  EXPECT_EQ(graph.num_nodes(), 0);
}

// Whatever the bytes are, reading ends in a graph or a Status. Seeded, so a failure repeats.
TEST(GraphDef, MutatedBytesNeverCrash) {
  const std::string bytes = SmallGraph();
  std::mt19937 random(20210);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string mutated = bytes;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      mutated[random() % mutated.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) mutated.resize(random() % mutated.size());
    const Result<GraphDef> parsed = ParseGraphDef(mutated);
    if (!parsed.ok()) continue;
    Graph graph;
    accepted += ImportGraphDef(*parsed, {}, &graph).ok() ? 1 : 0;
  }
  EXPECT_TRUE(accepted > 0);
}

Result<Tensor> Parse(const std::string& message) {
  ParseBudget budget;
  return ParseTensor(message, &budget);
}

TEST(TensorProto, RepeatsTheLastValue) {
  // dtype float, shape [3], one float_val of 2.5: what TensorFlow writes for a constant fill.
  WireWriter writer;
  writer.Int(1, 1);
  writer.Bytes(2, SerializeShape(PartialShape({3})));
  writer.Float(5, 2.5f);
  const Result<Tensor> tensor = Parse(writer.Take());
  ASSERT_OK(tensor);
  ExpectClose(*tensor, MakeTensor<float>({3}, {2.5, 2.5, 2.5}), Ulps(0));
}

template <typename T>
void ExpectValuesComeBack(const std::vector<T>& values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DTypeOf<T>::value, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
  WireWriter head;
  head.Int(1, static_cast<int>(tensor.dtype()));
  head.Bytes(2, SerializeShape(PartialShape(tensor.shape())));
  const Result<std::string> serialized = SerializeTensorValues(tensor);
  ASSERT_OK(serialized);
  const Result<Tensor> parsed = Parse(head.Take() + *serialized);
  ASSERT_OK(parsed);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(parsed->data<T>()[i] == values[i]);
}

TEST(TensorProto, ValuesOfEachTypeComeBack) {
  ExpectValuesComeBack<float>({1.5f, -0.0f});
  ExpectValuesComeBack<double>({1e300});
  ExpectValuesComeBack<int32_t>({-1, 1 << 30});
  ExpectValuesComeBack<int64_t>({-(int64_t{1} << 62), 5});
  ExpectValuesComeBack<int16_t>({-300});
  ExpectValuesComeBack<int8_t>({-3, 4});
  ExpectValuesComeBack<uint8_t>({255});
  ExpectValuesComeBack<uint16_t>({65535, 1});
  ExpectValuesComeBack<std::complex<float>>({{1, -2}, {3, 4}});
}

TEST(TensorProto, ValuesOfOtherTypesAreNotRead) {
  // An int32 of two elements, with a double that no int32 holds, and one int_val of a wrong wire type.
  WireWriter writer;
  writer.Int(1, 3);
  writer.Bytes(2, SerializeShape(PartialShape({2})));
  writer.Double(6, -1e300);
  writer.Double(7, 1e300);
  writer.Int(7, 5);
  const Result<Tensor> tensor = Parse(writer.Take());
  ASSERT_OK(tensor);
  ExpectClose(*tensor, MakeTensor<int32_t>({2}, {5, 5}), Ulps(0));
}

TEST(TensorProto, RejectsContentsThatDoNotFit) {
  WireWriter writer;
  writer.Int(1, 1);
  writer.Bytes(2, SerializeShape(PartialShape({3})));
  writer.Bytes(4, "12345678");
  EXPECT_ERROR(Parse(writer.Take()), Code::kInvalidArgument, "do not fit");
}

TEST(TensorProto, RejectsAFillThatNoMessageCouldHold) {
  WireWriter writer;
  writer.Int(1, 1);
  writer.Bytes(2, SerializeShape(PartialShape({int64_t{1} << 36})));
  EXPECT_ERROR(Parse(writer.Take()), Code::kInvalidArgument, "too large");
}

TEST(TensorProto, RejectsALongStringRepeatedTooOften) {
  WireWriter writer;
  writer.Int(1, static_cast<int>(DType::kString));
  writer.Bytes(2, SerializeShape(PartialShape({int64_t{1} << 26})));
  writer.Bytes(8, std::string(1000, 'x'));
  EXPECT_ERROR(Parse(writer.Take()), Code::kInvalidArgument, "repeated values take 69256346616");
}

TEST(TensorProto, WhatAFileRepeatsIsLimitedAltogether) {
  WireWriter writer;
  writer.Int(1, 1);
  writer.Bytes(2, SerializeShape(PartialShape({100})));
  const std::string message = writer.Take();
  ParseBudget budget;
  budget.repeated_bytes = 1000;
  EXPECT_OK(ParseTensor(message, &budget));
  EXPECT_OK(ParseTensor(message, &budget));
  EXPECT_ERROR(ParseTensor(message, &budget), Code::kInvalidArgument, "200 are left");
}

TEST(GraphDef, AnErrorInAnAttributeNamesTheNode) {
  WireWriter tensor;
  tensor.Int(1, 1);
  tensor.Bytes(2, SerializeShape(PartialShape({int64_t{1} << 36})));
  WireWriter value;
  value.Bytes(8, tensor.Take());
  WireWriter entry;
  entry.Bytes(1, "value");
  entry.Bytes(2, value.Take());
  WireWriter node;
  node.Bytes(1, "big");
  node.Bytes(5, entry.Take());
  WireWriter graph;
  graph.Bytes(1, node.Take());
  EXPECT_ERROR(ParseGraphDef(graph.Take()), Code::kInvalidArgument,
               "node 0 'big': attribute value: a float tensor of shape [68719476736]");
}

TEST(GraphDef, TakesNamesInUtf8Alone) {
  const auto parsed = [](const std::string& device) {
    WireWriter node;
    node.Bytes(1, "x");
    node.Bytes(4, device);
    WireWriter graph;
    graph.Bytes(1, node.Take());
    return ParseGraphDef(graph.Take());
  };
  for (const char* good : {"", "a", "\xc2\x80", "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"}) {
    ASSERT_OK(parsed(good));
    EXPECT_EQ(parsed(good)->nodes[0].device, good);
  }
  for (const char* bad : {"\x80", "a\xff", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xe2\x82", "\xf0\x9f\x98"}) {
    EXPECT_ERROR(parsed(bad), Code::kDataLoss, "not UTF-8");
  }
}

TEST(TensorProto, StringsRoundTrip) {
  const Tensor strings = Tensor::Strings(Shape{2}, {"a", std::string("b\0c", 3)});
  const Result<Tensor> tensor = Parse(SerializeTensor(strings));
  ASSERT_OK(tensor);
  EXPECT_EQ(tensor->data<std::string>()[1], std::string("b\0c", 3));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
