// What of a plan changes its layout together, and what stands at the edges.
#include "passes/layout_regions.h"

#include <algorithm>

namespace tfbuild {
namespace {

constexpr size_t kMaxFilter = size_t{10} << 20;  // bytes

}  // namespace

LayoutRegions::LayoutRegions(const PlanGraph& plan)
    : constants_(FreeConstants(plan)), uses_(plan) {
  fetched_.insert(plan.fetches.begin(), plan.fetches.end());
  for (const PlanNode* node : plan.nodes()) {
    waited_for_.insert(node->control_inputs.begin(), node->control_inputs.end());
    has_transposes_ = has_transposes_ || OrderOf(*node);
  }
  waited_for_.insert(plan.targets.begin(), plan.targets.end());
}

std::optional<DimOrder> LayoutRegions::OrderOf(const PlanNode& node) const {
  if (!node.is("Transpose") || !IsPure(node) || !node.control_inputs.empty() ||
      constants_.count(node.inputs[1].node) == 0 ||
      ControlFlowOf(*node.inputs[0].node) != ControlFlow::kNone) {
    return std::nullopt;
  }
  const Result<Tensor> tensor = node.inputs[1].node->def->Attr<Tensor>("value");
  if (!tensor.ok()) return std::nullopt;
  auto numbers = tensor->IntValues();
  if (!numbers.ok() || numbers->size() < 2) return std::nullopt;
  for (int64_t& number : *numbers) {
    if (number < 0) number += static_cast<int64_t>(numbers->size());
  }
  return *numbers;
}

void LayoutRegions::Find(const PlanGraph& plan) {
  for (PlanNode* node : plan.nodes()) {
    // Who waits for a node waits for it and not for its value.
    if (waited_for_.count(node) > 0) continue;
    std::optional<LayoutRoles> roles = MakeRoles(*node);
    if (!roles) continue;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const PlanValue& input = node->inputs[i];
      if (roles->inputs[i] != DimRole::kValue || !IsMade(input)) continue;
      if (input.node->device != node->device) continue;
      neighbours_[input.node].push_back(node);
      neighbours_[node].push_back(input.node);
    }
    roles_.emplace(node, *std::move(roles));
  }
  for (PlanNode* node : plan.nodes()) {
    if (roles_.count(node) > 0 && region_of_.count(node) == 0) Gather(node);
  }
}

void LayoutRegions::Gather(PlanNode* first) {
  const size_t number = regions_.size();
  std::vector<PlanNode*> region = {first};
  region_of_[first] = number;
  for (size_t i = 0; i < region.size(); ++i) {
    for (PlanNode* next : neighbours_[region[i]]) {
      if (region_of_.emplace(next, number).second) region.push_back(next);
    }
  }
  std::sort(region.begin(), region.end(),
            [](const PlanNode* a, const PlanNode* b) { return a->position < b->position; });
  regions_.push_back(std::move(region));
}

bool LayoutRegions::IsMade(const PlanValue& value) const {
  const auto roles = roles_.find(value.node);
  return roles != roles_.end() && roles->second.Makes(value.index);
}

bool LayoutRegions::IsIn(const PlanNode& node, size_t region) const {
  const auto found = region_of_.find(&node);
  return found != region_of_.end() && found->second == region;
}

bool LayoutRegions::IsMadeIn(const PlanValue& value, size_t region) const {
  return IsMade(value) && IsIn(*value.node, region);
}

bool LayoutRegions::TakesInRegion(const PlanNode& node, const PlanValue& value,
                                  size_t region) const {
  if (!IsIn(node, region)) return false;
  const std::vector<DimRole>& roles = roles_.at(&node).inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == value && roles[i] != DimRole::kValue) return false;
  }
  return true;
}

bool LayoutRegions::IsBetween(const PlanNode& transpose, size_t region) const {
  if (!IsMadeIn(transpose.inputs[0], region)) return false;
  const auto& readers = uses_.ReadersOf(transpose);
  return std::any_of(readers.begin(), readers.end(),
                     [&](const PlanNode* reader) { return IsIn(*reader, region); });
}

bool LayoutRegions::IsTurned(const PlanNode& reader, const PlanValue& value, size_t region) const {
  return OrderOf(reader) && reader.inputs[0] == value && reader.device == value.node->device &&
         !IsBetween(reader, region);
}

bool LayoutRegions::IsConstant(const PlanValue& value) const {
  if (constants_.count(value.node) == 0 || IsHostObject(value.type().dtype)) return false;
  const Result<Tensor> tensor = value.node->def->Attr<Tensor>("value");
  return tensor.ok() && static_cast<size_t>(tensor->num_bytes()) <= kMaxFilter;
}

std::vector<PlanNode*> LayoutRegions::ReadersOf(const PlanValue& value) const {
  std::vector<PlanNode*> readers;
  for (PlanNode* reader : uses_.ReadersOf(*value.node)) {
    if (std::count(reader->inputs.begin(), reader->inputs.end(), value) > 0) {
      readers.push_back(reader);
    }
  }
  return readers;
}

}  // namespace tfbuild
