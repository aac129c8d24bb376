#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/attrs.h"
#include "graph/op_def.h"
#include "tensor/shape.h"

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

  Node();
  ~Node();
  int id() const { return id_; }
  const std::string& name() const { return name_; }
  const OpDef& op() const { return *op_; }
  const AttrMap& attrs() const { return *attrs_; }
  // As requested: "", "/cpu:0", "/device:GPU:0", or a full name.
  const std::string& device() const { return device_; }
  const std::vector<Endpoint>& inputs() const { return inputs_; }
  const Endpoint& input(int i) const { return inputs_[static_cast<size_t>(i)]; }
  bool input_is_ref(int i) const {
    return static_cast<size_t>(i) < input_is_ref_.size() && input_is_ref_[static_cast<size_t>(i)];
  }
  const std::vector<Node*>& control_inputs() const { return control_inputs_; }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Output& output(int i) const { return outputs_[static_cast<size_t>(i)]; }
  template <typename T>
  Result<T> Attr(std::string_view attr_name) const { return GetAttr<T>(*attrs_, attr_name); }

 private:
  friend class Graph;
  friend class NodeBuilder;
  friend Result<std::unique_ptr<Node>> MakeNode(struct NodeSpec spec,
                                                const FunctionLibrary* functions);
  int id_ = -1;
  std::string name_;
  const OpDef* op_ = nullptr;
  std::shared_ptr<const AttrMap> attrs_;  // nodes of a graph that have the same ones share them
  std::string device_;
  std::vector<Endpoint> inputs_;
  std::vector<bool> input_is_ref_;  // up to the last one that is
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

}  // namespace tfbuild
