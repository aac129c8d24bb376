#pragma once

#include <optional>

#include "graph/graph.h"

namespace tfbuild {

// What is known, while the graph is built, of the variable behind a handle.
struct HandleType {
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

// The type of the variable whose handle a node puts out; none where the graph does not say which
// variable that is.
std::optional<HandleType> HandleTypeOf(const Endpoint& handle);

}  // namespace tfbuild
