#include "graph/node.h"

#include "graph/attr_value.h"

namespace tfbuild {

Node::Node() : attrs_(std::make_unique<AttrMap>()) {}

Node::~Node() = default;

}  // namespace tfbuild
