#include "graph/graph_def.h"

#include "graph/attr_wire.h"
#include "graph/function_library.h"
#include "graph/wire_format.h"

namespace tfbuild {
namespace {

Status ParseNodeInto(std::string_view message, ParseBudget* budget, NodeDef* node) {
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    switch (field.number) {
      case 1: RETURN_IF_ERROR(ReadText(field, &node->name)); break;
      case 2: RETURN_IF_ERROR(ReadText(field, &node->op)); break;
      case 3: RETURN_IF_ERROR(ReadText(field, &node->inputs.emplace_back())); break;
      case 4: RETURN_IF_ERROR(ReadText(field, &node->device)); break;
      case 5: RETURN_IF_ERROR(ParseAttrEntry(field.bytes, budget, &node->attrs)); break;
      default: break;
    }
  }
  return OkStatus();
}

Status ParseVersions(std::string_view message, GraphDef* graph_def) {
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) graph_def->producer = static_cast<int>(field.as_int());
    if (field.number == 2) graph_def->min_consumer = static_cast<int>(field.as_int());
  }
  return OkStatus();
}

}  // namespace

Result<NodeDef> ParseNodeDef(std::string_view message, ParseBudget* budget) {
  NodeDef node;
  const Status status = ParseNodeInto(message, budget, &node);
  if (!status.ok()) return status.Annotate(StrCat("node '", node.name, "'"));
  return node;
}

Result<GraphDef> ParseGraphDef(std::string_view bytes) {
  ParseBudget budget;
  GraphDef graph_def;
  graph_def.producer = graph_def.min_consumer = 0;
  WireReader reader(bytes);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) {
      NodeDef& node = graph_def.nodes.emplace_back();
      const Status status = ParseNodeInto(field.bytes, &budget, &node);
      if (!status.ok()) {
        return status.Annotate(StrCat("node ", graph_def.nodes.size() - 1, " '", node.name, "'"));
      }
    } else if (field.number == 2) {
      graph_def.library = std::string(field.bytes);
    } else if (field.number == 4) {
      RETURN_IF_ERROR(ParseVersions(field.bytes, &graph_def));
    }
  }
  return graph_def;
}

std::string SerializeNodeDef(const NodeDef& node) {
  WireWriter writer;
  writer.Bytes(1, node.name);
  writer.Bytes(2, node.op);
  for (const std::string& input : node.inputs) writer.Bytes(3, input);
  if (!node.device.empty()) writer.Bytes(4, node.device);
  for (const auto& [name, value] : node.attrs) {
    WireWriter entry;
    entry.Bytes(1, name);
    entry.Bytes(2, SerializeAttrValue(value));
    writer.Bytes(5, entry.Take());
  }
  return writer.Take();
}

std::string SerializeGraphDef(const GraphDef& graph_def) {
  WireWriter writer;
  for (const NodeDef& node : graph_def.nodes) writer.Bytes(1, SerializeNodeDef(node));
  if (!graph_def.library.empty()) writer.Bytes(2, graph_def.library);
  WireWriter versions;
  if (graph_def.producer != 0) versions.Int(1, graph_def.producer);
  if (graph_def.min_consumer != 0) versions.Int(2, graph_def.min_consumer);
  writer.Bytes(4, versions.Take());
  return writer.Take();
}

NodeDef ToNodeDef(const Node& node) {
  NodeDef def{node.name(), node.op().name, {}, node.device(), node.attrs()};
  for (const Endpoint& input : node.inputs()) {
    def.inputs.push_back(input.index == 0 ? input.node->name()
                                          : StrCat(input.node->name(), ":", input.index));
  }
  for (const Node* control : node.control_inputs()) {
    def.inputs.push_back(StrCat("^", control->name()));
  }
  return def;
}

GraphDef ToGraphDef(const Graph& graph) {
  GraphDef graph_def;
  for (const auto& node : graph.nodes()) graph_def.nodes.push_back(ToNodeDef(*node));
  graph_def.library = graph.functions()->Serialize();
  return graph_def;
}

}  // namespace tfbuild
