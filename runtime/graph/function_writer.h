#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace tfbuild {

// A graph as TensorFlow's FunctionDef of that name: `arguments` are its Placeholders in the order of
// the arguments; all that has effects is run by each call. InvalidArgument where a result or an
// argument is not of the graph.
Result<std::string> EncodeFunction(const Graph& body, const std::string& name,
                                   const std::vector<Node*>& arguments,
                                   const std::vector<Endpoint>& results);

}  // namespace tfbuild
