#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "graph/attr_value.h"
#include "graph/node.h"

namespace tfbuild {

class FunctionLibrary;

// What is needed to add a node.
struct NodeSpec {
  std::string name;
  std::string op;
  std::vector<Endpoint> inputs;
  std::vector<Node*> control_inputs;
  AttrMap attrs;
  std::string device;
};

// A node of no graph, checked and shaped as AddNode does: for passes, which hold nodes themselves.
// `functions` may be null.
Result<std::unique_ptr<Node>> MakeNode(NodeSpec spec, const FunctionLibrary* functions);

// A dataflow graph that only grows: nodes are added in an order in which each input exists already,
// so ids are a topological order, but for the edges that close a loop: those go from a NextIteration
// to an older Merge. Not thread-safe; a session takes what has been added when it runs.
class Graph {
 public:
  Graph();
  // The body of a function: it has the functions of the graph around it.
  explicit Graph(FunctionLibrary* functions);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Adds a node: completes its attributes from the inputs and the op's defaults, checks types, and
  // runs the shape function, so that a wrong shape is an error here. Nothing is added on an error.
  Result<Node*> AddNode(NodeSpec spec);

  Node* FindNode(const std::string& name) const;  // null when there is none
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  Node* node(int id) const { return nodes_[static_cast<size_t>(id)].get(); }
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  // Who reads a value, each once and in the order of ids. Finding it takes as long as the graph is large
  // when it is first asked for, later as long as what has been added and what is found.
  std::vector<Node*> ReadersOf(const Endpoint& value);

  // Adds to what is known of an output's shape; an error when it contradicts.
  Status RefineShape(const Endpoint& endpoint, const PartialShape& shape);
  // Takes the newest nodes away again until `num_nodes` are left; nothing may refer to them.
  void Truncate(int num_nodes);
  // Adds a control edge; an error when it could close a cycle.
  Status AddControlEdge(Node* from, Node* to);
  // Makes a NextIteration the input `index` of an older Merge, in the place of what it had.
  Status CloseLoop(Node* merge, int index, Node* next_iteration);
  FunctionLibrary* functions() const { return functions_; }
  // From now on a step computes `values` where it would compute the outputs of `call`, and runs
  // `done` where it would run it: the same computation, written out in this graph.
  Status WriteOut(Node* call, std::vector<Endpoint> values, Node* done);
  struct WrittenOut {
    std::vector<Endpoint> values;
    Node* done;
  };
  // Null unless the node has been written out.
  const WrittenOut* FindWrittenOut(const Node* node) const;

  // Grows with each change of what there was: edges and shapes. What was prepared for an older
  // version is no longer right. (New nodes are none of it.)
  int64_t version() const { return version_; }

 private:
  void ShareAttrs(Node* node);
  // Keeps what is known of readers right where an input has changed.
  void MoveReader(Node* reader, const Endpoint& from, const Endpoint& to);
  struct EndpointHash {
    size_t operator()(const Endpoint& value) const {
      return std::hash<const Node*>()(value.node) + static_cast<size_t>(value.index);
    }
  };

  std::vector<std::unique_ptr<Node>> nodes_;
  std::unordered_map<std::string_view, Node*> by_name_;  // names lie in the nodes
  // What the latest nodes of an op have: many have the same, and a map takes more than the rest of a node.
  std::unordered_map<const OpDef*, std::vector<std::shared_ptr<const AttrMap>>> latest_attrs_;
  std::unordered_map<Endpoint, std::vector<Node*>, EndpointHash> readers_;
  int num_indexed_ = 0;  // nodes whose inputs are in it
  std::unique_ptr<FunctionLibrary> own_functions_;
  FunctionLibrary* functions_;
  std::unordered_map<const Node*, WrittenOut> written_out_;
  int64_t version_ = 0;
};

}  // namespace tfbuild
