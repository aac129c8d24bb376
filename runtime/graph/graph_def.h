#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/attr_value.h"
#include "graph/graph.h"
#include "graph/tensor_proto.h"

namespace tfbuild {

// TensorFlow's GraphDef and NodeDef messages (graph.proto, node_def.proto). Fields that the runtime
// does not use (debug information, full types) are dropped.
struct NodeDef {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;  // "node", "node:1", "^control"
  std::string device;
  AttrMap attrs;
};

// The GraphDef version that TensorFlow 2.21 writes; 12 is the oldest reader it names.
constexpr int kGraphDefProducer = 2400;

struct GraphDef {
  std::vector<NodeDef> nodes;
  int producer = kGraphDefProducer;
  int min_consumer = 12;
  std::string library;  // an encoded FunctionDefLibrary
};

// One NodeDef message.
Result<NodeDef> ParseNodeDef(std::string_view message, ParseBudget* budget);
// Reads a GraphDef; DataLoss, InvalidArgument or Unimplemented says what is wrong and in which node.
Result<GraphDef> ParseGraphDef(std::string_view bytes);
// The same graph always gives the same bytes.
std::string SerializeGraphDef(const GraphDef& graph_def);
std::string SerializeNodeDef(const NodeDef& node);

NodeDef ToNodeDef(const Node& node);
GraphDef ToGraphDef(const Graph& graph);

struct ImportOptions {
  // Put before each name, with a slash; empty for none.
  std::string prefix;
  // Inputs of the GraphDef ("name" or "name:1") to be taken from the graph instead.
  std::map<std::string, Endpoint> input_map;
};

// Adds the functions and the nodes of a GraphDef, in any order. Functions that a node calls must be
// there, fit the call, and hold ops that are known. The new nodes in the GraphDef's order; on an error the
// graph is as it was. What the nodes hold goes from the GraphDef into the graph, where the caller gives it
// away.
Result<std::vector<Node*>> ImportGraphDef(GraphDef graph_def, const ImportOptions& options,
                                          Graph* graph);

}  // namespace tfbuild
