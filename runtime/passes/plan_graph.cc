#include "passes/plan_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace tfbuild {
namespace {

ControlFlow ControlFlowOfOp(const std::string& op) {
  static const auto* ops = new std::unordered_map<std::string, ControlFlow>{
      {"Switch", ControlFlow::kSwitch},
      {"RefSwitch", ControlFlow::kSwitch},
      {"Merge", ControlFlow::kMerge},
      {"RefMerge", ControlFlow::kMerge},
      {"Enter", ControlFlow::kEnter},
      {"RefEnter", ControlFlow::kEnter},
      {"Exit", ControlFlow::kExit},
      {"RefExit", ControlFlow::kExit},
      {"NextIteration", ControlFlow::kNextIteration},
      {"RefNextIteration", ControlFlow::kNextIteration},
  };
  const auto found = ops->find(op);
  return found == ops->end() ? ControlFlow::kNone : found->second;
}

std::string DeviceText(const PlanNode& node) {
  if (node.device == nullptr) return "";
  return StrCat(DeviceTypeName(node.device->type()), ":", node.device->ordinal());
}

std::string ValueText(const PlanValue& value) {
  return value.index == 0 ? value.node->name() : StrCat(value.node->name(), ":", value.index);
}

}  // namespace

bool ClosesLoop(const PlanValue& input, const PlanNode& node) {
  return ControlFlowOf(*input.node) == ControlFlow::kNextIteration &&
         ControlFlowOf(node) == ControlFlow::kMerge;
}

bool IsConstant(const PlanNode& node) { return node.is("Const") || node.is("_DeviceConst"); }

std::set<const PlanNode*> FreeConstants(const PlanGraph& plan) {
  std::set<const PlanNode*> constants;
  for (const PlanNode* node : plan.nodes()) {
    if (IsConstant(*node) && node->control_inputs.empty()) constants.insert(node);
  }
  for (const PlanNode* target : plan.targets) constants.erase(target);
  // A Merge takes what arrives first: from a branch, which a constant of one is in.
  for (const PlanNode* node : plan.nodes()) {
    if (ControlFlowOf(*node) != ControlFlow::kMerge) continue;
    for (const PlanValue& input : node->inputs) constants.erase(input.node);
  }
  return constants;
}

bool IsPure(const PlanNode& node) {
  if (node.feed != kNoFeed || node.def->op().is_stateful) return false;
  if (ControlFlowOf(node) != ControlFlow::kNone || node.def->num_outputs() == 0) return false;
  if (node.op() == "LoopCond" || node.op() == "Placeholder" || node.op()[0] == '_') return false;
  for (int i = 0; i < node.def->num_outputs(); ++i) {
    if (node.def->output(i).is_ref || node.def->output(i).dtype == DType::kResource) return false;
  }
  return std::none_of(node.inputs.begin(), node.inputs.end(), [](const PlanValue& input) {
    return input.type().is_ref || input.type().dtype == DType::kResource;
  });
}

PlanNode* PlanGraph::AddCopy(const Node* def) {
  owned_.push_back(std::make_unique<PlanNode>());
  owned_.back()->def = def;
  owned_.back()->flow = ControlFlowOfOp(def->op().name);
  order_.push_back(owned_.back().get());
  return order_.back();
}

Result<PlanNode*> PlanGraph::AddNew(NodeSpec spec, std::vector<PlanValue> inputs, Device* device) {
  for (const PlanValue& input : inputs) {
    // Only type and shape of the endpoint are read.
    spec.inputs.push_back({const_cast<Node*>(input.node->def), input.index});
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Node> def, MakeNode(std::move(spec), functions));
  PlanNode* node = AddCopy(def.get());
  new_defs_.push_back(std::move(def));
  node->of_graph = false;
  node->inputs = std::move(inputs);
  node->device = device;
  return node;
}

void PlanGraph::Replace(const std::map<PlanValue, PlanValue>& replaced) {
  if (replaced.empty()) return;
  const auto follow = [&replaced](PlanValue* value) {
    for (auto next = replaced.find(*value); next != replaced.end(); next = replaced.find(*value)) {
      *value = next->second;
    }
  };
  for (PlanNode* node : order_) {
    for (PlanValue& input : node->inputs) follow(&input);
  }
  for (PlanValue& fetch : fetches) follow(&fetch);
}

// What is needed, by the places in the order; empty where something needs a node that is not in it.
std::vector<bool> PlanGraph::FindNeeded() const {
  std::vector<bool> needed(order_.size());
  std::vector<const PlanNode*> open;
  bool whole = true;
  const auto need = [&](const PlanNode* node) {
    whole = whole && node->place != kNoPosition;
    if (!whole || needed[static_cast<size_t>(node->place)]) return;
    needed[static_cast<size_t>(node->place)] = true;
    open.push_back(node);
  };
  for (const PlanNode* feed : feeds) need(feed);
  for (const PlanValue& fetch : fetches) need(fetch.node);
  for (const PlanNode* target : targets) need(target);
  while (!open.empty()) {
    const PlanNode* node = open.back();
    open.pop_back();
    for (const PlanValue& input : node->inputs) need(input.node);
    for (const PlanNode* control : node->control_inputs) need(control);
  }
  return whole ? needed : std::vector<bool>();
}

// A new node comes behind the last of its inputs.
void PlanGraph::FindPositions() {
  for (const auto& node : owned_) node->place = kNoPosition;
  for (size_t i = 0; i < order_.size(); ++i) {
    PlanNode* node = order_[i];
    node->place = static_cast<int>(i);
    int latest = node->position;
    for (const PlanValue& input : node->inputs) {
      if (node->position == kNoPosition) latest = std::max(latest, input.node->position);
    }
    node->position = std::max(latest, 0);
  }
}

Status PlanGraph::Sort() {
  FindPositions();
  const std::vector<bool> needed = FindNeeded();
  // For each node how many must come before it, and those that come after it, side by side.
  std::vector<int> pending(order_.size());
  std::vector<size_t> first(order_.size() + 2);
  const auto each_edge = [&](const auto& visit) {
    for (size_t i = 0; i < needed.size(); ++i) {
      if (!needed[i]) continue;
      for (const PlanValue& input : order_[i]->inputs) {
        if (!ClosesLoop(input, *order_[i])) visit(static_cast<size_t>(input.node->place), i);
      }
      for (const PlanNode* control : order_[i]->control_inputs) {
        visit(static_cast<size_t>(control->place), i);
      }
    }
  };
  each_edge([&](size_t from, size_t to) {
    ++pending[to];
    ++first[from + 2];
  });
  for (size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<size_t> successors(first.back());
  each_edge([&](size_t from, size_t to) { successors[first[from + 1]++] = to; });
  // Of what is ready the first in the old order goes first: passes change as little as they can.
  using Rank = std::pair<int, size_t>;
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> ready;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] && pending[i] == 0) ready.push({order_[i]->position, i});
  }
  std::vector<PlanNode*> sorted;
  while (!ready.empty()) {
    const size_t next = ready.top().second;
    ready.pop();
    sorted.push_back(order_[next]);
    for (size_t i = first[next]; i < first[next + 1]; ++i) {
      const size_t successor = successors[i];
      if (--pending[successor] == 0) ready.push({order_[successor]->position, successor});
    }
  }
  const auto count = static_cast<size_t>(std::count(needed.begin(), needed.end(), true));
  if (sorted.size() != count || needed.size() != order_.size()) {
    return InvalidArgument("the graph has a cycle that no loop closes");
  }
  order_ = std::move(sorted);
  for (size_t i = 0; i < order_.size(); ++i) order_[i]->position = static_cast<int>(i);
  return OkStatus();
}

std::map<std::string, GraphDef> ToGraphDefs(const PlanGraph& plan) {
  std::set<const Node*> computed;
  for (const PlanNode* node : plan.nodes()) {
    if (node->feed == kNoFeed) computed.insert(node->def);
  }
  const auto name_of = [&computed](const PlanNode& node) {
    // What is fed may be computed as well, for another of its outputs.
    const bool other = node.fed_output > 0 || computed.count(node.def) > 0;
    if (node.feed == kNoFeed || !other) return node.name();
    return StrCat(node.name(), "/_fed_", node.fed_output);
  };
  std::map<std::string, GraphDef> partitions;
  for (const PlanNode* node : plan.nodes()) {
    const bool fed = node->feed != kNoFeed;
    NodeDef def{name_of(*node), node->op(), {}, fed ? CpuDevice()->name() : node->device->name(),
                node->def->attrs()};
    if (fed) {
      const Node::Output& output = node->def->output(node->fed_output);
      def.op = "Placeholder";
      def.attrs = {{"dtype", output.dtype}, {"shape", output.shape}};
    }
    for (const PlanValue& input : node->inputs) {
      // What is fed is the only output of its placeholder.
      const bool first = input.index == 0 || input.node->feed != kNoFeed;
      const std::string name = name_of(*input.node);
      def.inputs.push_back(first ? name : StrCat(name, ":", input.index));
    }
    for (const PlanNode* control : node->control_inputs) {
      def.inputs.push_back(StrCat("^", name_of(*control)));
    }
    partitions[def.device].nodes.push_back(std::move(def));
  }
  return partitions;
}

std::string PlanToText(const PlanGraph& plan) {
  std::string text;
  for (const PlanNode* node : plan.nodes()) {
    std::vector<std::string> inputs;
    for (const PlanValue& input : node->inputs) inputs.push_back(ValueText(input));
    for (const PlanNode* control : node->control_inputs) inputs.push_back("^" + control->name());
    text += StrCat(node->name(), " = ", node->feed == kNoFeed ? node->op() : "feed", "(",
                   StrJoin(inputs, ", "), ")");
    const std::string device = DeviceText(*node);
    text += device.empty() ? "\n" : StrCat(" on ", device, "\n");
  }
  return text;
}

std::string PlanToGraphviz(const PlanGraph& plan) {
  std::string text = "digraph plan {\n  node [shape=box, fontname=monospace];\n";
  const auto id = [](const PlanNode* node) { return StrCat("n", node->position); };
  const auto escaped = [](const std::string& raw) {
    std::string safe;
    for (const char c : raw) {
      if (c == '"' || c == '\\') safe += '\\';
      safe += c;
    }
    return safe;
  };
  for (const PlanNode* node : plan.nodes()) {
    text += StrCat("  ", id(node), " [label=\"", escaped(node->name()), "\\n",
                   node->feed == kNoFeed ? node->op() : "feed", " ", DeviceText(*node), "\"];\n");
    for (const PlanValue& input : node->inputs) {
      text += StrCat("  ", id(input.node), " -> ", id(node), " [taillabel=\"", input.index, "\"",
                     ClosesLoop(input, *node) ? ", constraint=false" : "", "];\n");
    }
    for (const PlanNode* control : node->control_inputs) {
      text += StrCat("  ", id(control), " -> ", id(node), " [style=dashed];\n");
    }
  }
  return text + "}\n";
}

}  // namespace tfbuild
