#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "graph/attr_value.h"
#include "graph/op_def.h"

namespace tfbuild {

class FunctionLibrary;
class Node;

// One output of a node.
struct Endpoint {
  Node* node = nullptr;
  int index = 0;
  DType dtype() const;
  bool is_ref() const;
  const PartialShape& shape() const;
  bool operator==(const Endpoint& other) const {
    return node == other.node && index == other.index;
  }
};

// One operation of a graph: an op with values for its attributes, inputs, and control inputs that
// must have run before. Owned by its Graph.
class Node {
 public:
  struct Output {
    DType dtype = DType::kInvalid;
    bool is_ref = false;
    PartialShape shape;
  };

  int id() const { return id_; }
  const std::string& name() const { return name_; }
  const OpDef& op() const { return *op_; }
  const AttrMap& attrs() const { return attrs_; }
  // As requested: "", "/cpu:0", "/device:GPU:0", or a full name.
  const std::string& device() const { return device_; }
  const std::vector<Endpoint>& inputs() const { return inputs_; }
  const Endpoint& input(int i) const { return inputs_[static_cast<size_t>(i)]; }
  bool input_is_ref(int i) const { return input_is_ref_[static_cast<size_t>(i)]; }
  const std::vector<Node*>& control_inputs() const { return control_inputs_; }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Output& output(int i) const { return outputs_[static_cast<size_t>(i)]; }
  template <typename T>
  Result<T> Attr(const std::string& attr_name) const { return GetAttr<T>(attrs_, attr_name); }

 private:
  friend class Graph;
  friend class NodeBuilder;
  friend Result<std::unique_ptr<Node>> MakeNode(struct NodeSpec spec,
                                                const FunctionLibrary* functions);
  int id_ = -1;
  std::string name_;
  const OpDef* op_ = nullptr;
  AttrMap attrs_;
  std::string device_;
  std::vector<Endpoint> inputs_;
  std::vector<bool> input_is_ref_;
  std::vector<Node*> control_inputs_;
  std::vector<Output> outputs_;
};

inline DType Endpoint::dtype() const { return node->output(index).dtype; }
inline bool Endpoint::is_ref() const { return node->output(index).is_ref; }
inline const PartialShape& Endpoint::shape() const { return node->output(index).shape; }

// Whether an edge goes against the order of ids, as only those from a NextIteration may.
inline bool ClosesLoop(const Endpoint& input, const Node& node) {
  return input.node->id() >= node.id();
}

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
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unordered_map<std::string, Node*> by_name_;
  std::unique_ptr<FunctionLibrary> own_functions_;
  FunctionLibrary* functions_;
  std::unordered_map<const Node*, WrittenOut> written_out_;
  int64_t version_ = 0;
};

}  // namespace tfbuild
