#include "graph/node.h"

namespace tfbuild {

Node::Node() = default;

Node::~Node() = default;

}  // namespace tfbuild
