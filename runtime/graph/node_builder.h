#pragma once

#include <memory>

#include "graph/graph.h"

namespace tfbuild {

// Turns a NodeSpec into a checked Node: attributes completed and of the right kind, inputs counted
// and typed, outputs typed. Used by Graph alone.
class NodeBuilder {
 public:
  // `functions` may be null; a function of it is an op by its name.
  NodeBuilder(NodeSpec spec, const FunctionLibrary* functions)
      : spec_(std::move(spec)), functions_(functions), node_(std::make_unique<Node>()) {}
  Status Build();
  std::unique_ptr<Node> TakeNode() { return std::move(node_); }

 private:
  Status InferAttrsFromInputs();
  Status InferFrom(const ArgDef& arg, size_t begin, size_t count);
  Status SetInferred(const std::string& attr, AttrValue value, const std::string& input);
  Status CheckAttrs();
  Status CheckInputs();
  Status AddOutputs();
  // The types of the tensors that an argument stands for.
  Result<std::vector<DType>> TypesOf(const ArgDef& arg) const;
  size_t CountGiven(const ArgDef& arg, size_t left) const;

  NodeSpec spec_;
  const FunctionLibrary* functions_;
  std::unique_ptr<Node> node_;
};

}  // namespace tfbuild
