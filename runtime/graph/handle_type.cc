#include "graph/handle_type.h"

namespace tfbuild {
namespace {

// Of nodes that hand a handle on; a loop ends here, too.
constexpr int kMaxSteps = 64;

bool HandsOn(const std::string& op) {
  return op == "Identity" || op == "Enter" || op == "Exit" || op == "Switch" || op == "Merge" ||
         op == "NextIteration";
}

}  // namespace

std::optional<HandleType> HandleTypeOf(const Endpoint& handle) {
  const Node* node = handle.node;
  for (int step = 0; step < kMaxSteps && HandsOn(node->op().name); ++step) {
    if (node->inputs().empty()) return std::nullopt;
    node = node->input(0).node;
  }
  if (node->op().name != "VarHandleOp") return std::nullopt;
  const Result<DType> dtype = node->Attr<DType>("dtype");
  const Result<PartialShape> shape = node->Attr<PartialShape>("shape");
  if (!dtype.ok() || !shape.ok()) return std::nullopt;
  return HandleType{*dtype, *shape};
}

}  // namespace tfbuild
