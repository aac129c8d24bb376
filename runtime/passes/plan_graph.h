#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/graph_def.h"
#include "tensor/device.h"

namespace tfbuild {

// What one call of Session::Run asks for: values to compute, nodes to run, and outputs whose values
// the caller brings.
struct RunSignature {
  std::vector<Endpoint> feeds;
  std::vector<Endpoint> fetches;
  std::vector<Node*> targets;
};

struct PlanNode;

// One output of a node of a plan.
struct PlanValue {
  PlanNode* node = nullptr;
  int index = 0;
  bool operator==(const PlanValue& other) const {
    return node == other.node && index == other.index;
  }
  bool operator<(const PlanValue& other) const {
    return node != other.node ? node < other.node : index < other.index;
  }
  const Node::Output& type() const;
};

constexpr int kNoFeed = -1;
constexpr int kNoPosition = -1;

// What moves values between iterations, frames and branches instead of computing.
enum class ControlFlow : uint8_t { kNone, kSwitch, kMerge, kEnter, kExit, kNextIteration };

// One node of a plan. Op, attributes and types are those of `def`; edges and device are its own.
struct PlanNode {
  const Node* def = nullptr;
  bool of_graph = true;  // `def` is a node of the session's graph, else one that a pass has made
  bool of_function = false;  // made of a node in a function's body
  ControlFlow flow = ControlFlow::kNone;  // of the op
  int feed = kNoFeed;    // stands for that fed value and computes nothing
  int fed_output = 0;    // which output of `def` is fed
  Device* device = nullptr;
  std::vector<PlanValue> inputs;
  std::vector<PlanNode*> control_inputs;
  int position = kNoPosition;  // in nodes(), as of the last Sort
  int place = kNoPosition;     // in nodes() while a Sort goes on

  const std::string& name() const { return def->name(); }
  const std::string& op() const { return def->op().name; }
  bool is(const char* op_name) const { return feed == kNoFeed && op() == op_name; }
};

inline const Node::Output& PlanValue::type() const { return node->def->output(index); }

// The part of a graph that one signature needs, as a copy that passes rewrite. Inputs come before
// their consumers in nodes(), but for the edges that close a loop.
class PlanGraph {
 public:
  PlanGraph() = default;
  PlanGraph(PlanGraph&&) = default;
  PlanGraph& operator=(PlanGraph&&) = default;

  const std::vector<PlanNode*>& nodes() const { return order_; }
  int num_nodes() const { return static_cast<int>(order_.size()); }
  std::vector<PlanNode*> feeds;  // in the signature's order; none is null
  std::vector<PlanValue> fetches;
  std::vector<PlanNode*> targets;
  FunctionLibrary* functions = nullptr;  // of the graph; null in a plan of none

  // A copy of a node of the session's graph, without its edges.
  PlanNode* AddCopy(const Node* def);
  // A new node: op, name, attributes and device request of `spec`; the inputs are those given.
  Result<PlanNode*> AddNew(NodeSpec spec, std::vector<PlanValue> inputs, Device* device);

  // Every reader of a key reads its value from now on.
  void Replace(const std::map<PlanValue, PlanValue>& replaced);
  // Takes away what no fetch and no target needs any longer, and orders the rest. InvalidArgument
  // when there is a cycle that no loop closes.
  Status Sort();

  // The nodes that passes have made; the caller keeps them as long as the plan is used.
  std::vector<std::unique_ptr<Node>> TakeNewDefs() { return std::move(new_defs_); }

 private:
  std::vector<bool> FindNeeded() const;
  void FindPositions();

  std::vector<std::unique_ptr<PlanNode>> owned_;
  std::vector<PlanNode*> order_;
  std::vector<std::unique_ptr<Node>> new_defs_;
};

inline ControlFlow ControlFlowOf(const PlanNode& node) {
  return node.feed == kNoFeed ? node.flow : ControlFlow::kNone;
}
// Whether the edge from `input` to `node` closes a loop.
bool ClosesLoop(const PlanValue& input, const PlanNode& node);
// Whether the value is an attribute of the node.
bool IsConstant(const PlanNode& node);
// The constants that no frame and no branch holds, and that nobody has to run: they are the same
// everywhere in a step.
std::set<const PlanNode*> FreeConstants(const PlanGraph& plan);
// Whether the value is the same whenever and however often it is computed, so that a pass may move,
// merge or drop the node: no state, no references, no control flow.
bool IsPure(const PlanNode& node);

// A plan as TensorFlow's GraphDefs, one for each device, by its name. Feeds are placeholders there.
std::map<std::string, GraphDef> ToGraphDefs(const PlanGraph& plan);
// What a person reads of a plan: a line for each node, and a drawing for Graphviz.
std::string PlanToText(const PlanGraph& plan);
std::string PlanToGraphviz(const PlanGraph& plan);

}  // namespace tfbuild
