#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph_def.h"

namespace tfbuild {

// TensorFlow's FunctionDef message (function.proto): a signature, nodes whose inputs are "argument",
// "node:output:number" or "^node", and which of those the results are.
struct FunctionDef {
  OpDef signature;
  std::vector<NodeDef> nodes;
  std::map<std::string, std::string> results;          // by name of the output
  std::map<std::string, std::string> control_results;  // by any name
  std::map<int64_t, AttrMap> argument_attrs;           // by number of the input
};

Result<FunctionDef> ParseFunctionDef(std::string_view bytes);
// The signature alone.
Result<OpDef> ParseSignature(std::string_view function);

// The body as a GraphDef whose Placeholders are the arguments, for a call with these attributes;
// `functions` says what the ops of the body are. `results` and `control_results` become the names of
// tensors and nodes in it.
struct FunctionNodes {
  GraphDef graph_def;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, int>> results;  // node and output
  std::vector<std::string> control_results;
};
Result<FunctionNodes> FunctionAsNodes(const FunctionDef& function, const AttrMap& attrs,
                                      const FunctionLibrary& functions);

}  // namespace tfbuild
