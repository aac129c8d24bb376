#include "passes/body_branches.h"

#include <algorithm>

namespace tfbuild {
namespace {

bool IsOneOf(const Node& node, const char* op) {
  return node.op().name == op || node.op().name == std::string("Ref") + op;
}

}  // namespace

BodyBranches::BodyBranches(const Graph& body) {
  const auto begins = [](const auto& node) {
    return IsOneOf(*node, "Switch") || IsOneOf(*node, "Enter");
  };
  if (std::none_of(body.nodes().begin(), body.nodes().end(), begins)) return;
  for (const auto& node : body.nodes()) {
    where_[node.get()] = Inside(*node);
    for (const Endpoint& input : node->inputs()) readers_[input.node].push_back(node.get());
    for (const Node* control : node->control_inputs()) readers_[control].push_back(node.get());
  }
}

std::vector<const Node*> BodyBranches::Ends(const std::vector<const Node*>& nodes) const {
  std::vector<const Node*> ends, open;
  std::set<const Node*> seen;
  const auto visit = [&open, &seen](const Node* node) {
    if (seen.insert(node).second) open.push_back(node);
  };
  for (const Node* node : nodes) visit(node);
  while (!open.empty()) {
    const Node* next = open.back();
    open.pop_back();
    const auto where = where_.find(next);
    if (where == where_.end() || (where->second.sides.empty() && where->second.loops == 0)) {
      ends.push_back(next);
      continue;
    }
    const auto readers = readers_.find(next);
    if (readers == readers_.end()) continue;
    for (const Node* reader : readers->second) visit(reader);
  }
  std::sort(ends.begin(), ends.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  return ends;
}

BodyBranches::Where BodyBranches::Of(const Endpoint& input) const {
  Where where = where_.at(input.node);
  if (!IsOneOf(*input.node, "Switch")) return where;
  const Endpoint& predicate = input.node->inputs()[1];
  // Which side of a loop's Switch is taken says whether it goes on.
  if (predicate.node->op().name != "LoopCond") {
    where.sides.insert({predicate.node, predicate.index, input.index});
  }
  return where;
}

BodyBranches::Where BodyBranches::Inside(const Node& node) const {
  Where where;
  bool first = true;
  for (const Endpoint& input : node.inputs()) {
    if (ClosesLoop(input, node)) continue;
    Where other = Of(input);
    where.loops = std::max(where.loops, other.loops);
    if (IsOneOf(node, "Merge") && !first) {  // in what all of its inputs are in
      for (auto side = where.sides.begin(); side != where.sides.end();) {
        side = other.sides.count(*side) > 0 ? std::next(side) : where.sides.erase(side);
      }
    } else {
      where.sides.insert(other.sides.begin(), other.sides.end());
    }
    first = false;
  }
  for (const Node* control : node.control_inputs()) {
    const Where& other = where_.at(control);
    where.loops = std::max(where.loops, other.loops);
    where.sides.insert(other.sides.begin(), other.sides.end());
  }
  if (IsOneOf(node, "Enter")) ++where.loops;
  if (IsOneOf(node, "Exit")) LeaveLoop(&where);
  return where;
}

void BodyBranches::LeaveLoop(Where* where) const {
  --where->loops;
  for (auto side = where->sides.begin(); side != where->sides.end();) {
    const bool inner = where_.at(std::get<0>(*side)).loops > where->loops;
    side = inner ? where->sides.erase(side) : std::next(side);
  }
}

}  // namespace tfbuild
