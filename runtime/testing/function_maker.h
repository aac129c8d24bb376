#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/attr_wire.h"
#include "graph/graph_def.h"
#include "graph/wire_format.h"

namespace tfbuild {
namespace testing {

// A FunctionDef in pieces, as tests write it down.
struct FunctionText {
  std::string name;
  std::vector<std::pair<std::string, DType>> inputs;
  std::vector<std::pair<std::string, DType>> outputs;
  std::vector<NodeDef> nodes;                  // inputs as "argument" or "node:output:number"
  std::map<std::string, std::string> results;  // by output
  std::vector<std::string> control_results;    // nodes
};

inline std::string EncodePair(const std::string& key, const std::string& value) {
  WireWriter pair;
  pair.Bytes(1, key);
  pair.Bytes(2, value);
  return pair.Take();
}

inline std::string EncodeArg(const std::pair<std::string, DType>& arg) {
  WireWriter writer;
  writer.Bytes(1, arg.first);
  writer.Int(3, static_cast<int>(arg.second));
  return writer.Take();
}

// The bytes of a FunctionDef.
inline std::string EncodeFunction(const FunctionText& function) {
  WireWriter signature;
  signature.Bytes(1, function.name);
  for (const auto& input : function.inputs) signature.Bytes(2, EncodeArg(input));
  for (const auto& output : function.outputs) signature.Bytes(3, EncodeArg(output));
  WireWriter writer;
  writer.Bytes(1, signature.Take());
  GraphDef graph_def;
  graph_def.nodes = function.nodes;
  const std::string encoded = SerializeGraphDef(graph_def);
  WireReader nodes(encoded);
  while (!nodes.done()) {
    const Result<WireField> field = nodes.Next();
    if (field.ok() && field->number == 1) writer.Bytes(3, field->bytes);
  }
  for (const auto& [output, place] : function.results) {
    writer.Bytes(4, EncodePair(output, place));
  }
  for (const std::string& node : function.control_results) {
    writer.Bytes(6, EncodePair(node, node));
  }
  return writer.Take();
}

inline std::string EncodeLibrary(const std::vector<FunctionText>& functions) {
  WireWriter writer;
  for (const FunctionText& function : functions) writer.Bytes(1, EncodeFunction(function));
  return writer.Take();
}

// A node of a body: "Mul" of two inputs and the like, of floats.
inline NodeDef FloatNode(const std::string& name, const std::string& op,
                         std::vector<std::string> inputs) {
  return {name, op, std::move(inputs), "", {{"T", DType::kFloat}}};
}

inline NodeDef ConstNode(const std::string& name, const Tensor& value,
                         std::vector<std::string> inputs = {}) {
  return {name, "Const", std::move(inputs), "", {{"value", value}, {"dtype", value.dtype()}}};
}

// y = x * x + x.
inline FunctionText Polynomial(const std::string& name) {
  return {name, {{"x", DType::kFloat}}, {{"y", DType::kFloat}},
          {FloatNode("square", "Mul", {"x", "x"}), FloatNode("sum", "AddV2", {"square:z:0", "x"})},
          {{"y", "sum:z:0"}}, {}};
}

// y = -x.
inline FunctionText Negative(const std::string& name) {
  return {name, {{"x", DType::kFloat}}, {{"y", DType::kFloat}},
          {FloatNode("minus", "Neg", {"x"})}, {{"y", "minus:y:0"}}, {}};
}

// A NodeDef of a call of `function` with floats.
inline NodeDef CallNode(const std::string& name, const std::string& function,
                        std::vector<std::string> inputs, size_t num_outputs = 1) {
  const std::vector<DType> taken(inputs.size(), DType::kFloat);
  const std::vector<DType> given(num_outputs, DType::kFloat);
  return {name, "StatefulPartitionedCall", std::move(inputs), "",
          {{"f", FunctionNamed(function)}, {"Tin", taken}, {"Tout", given}}};
}

}  // namespace testing
}  // namespace tfbuild
