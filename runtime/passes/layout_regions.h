#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/layout_roles.h"
#include "passes/plan_uses.h"

namespace tfbuild {

// The parts of a plan whose values may have their dimensions in another order: nodes with LayoutRoles
// that are connected by values, on one device. As the plan was when this was made.
class LayoutRegions {
 public:
  explicit LayoutRegions(const PlanGraph& plan);

  // Whether there is a Transpose, without which most plans have nothing to win.
  bool has_transposes() const { return has_transposes_; }
  const PlanUses& uses() const { return uses_; }
  std::optional<LayoutRoles> MakeRoles(const PlanNode& node) const {
    return LayoutRolesOf(node, constants_);
  }

  void Find(const PlanGraph& plan);
  // In the plan's order, as the nodes of each are.
  const std::vector<std::vector<PlanNode*>>& all() const { return regions_; }
  size_t NumberOf(const PlanNode& node) const { return region_of_.at(&node); }
  const LayoutRoles& roles(const PlanNode& node) const { return roles_.at(&node); }

  // Of a Transpose by a constant that may go; none of any other node.
  std::optional<DimOrder> OrderOf(const PlanNode& node) const;
  // Whether the value has the dimensions of that region, and comes from it.
  bool IsMadeIn(const PlanValue& value, size_t region) const;
  // Whether the value is the sizes of one of that region.
  bool AreSizesIn(const PlanValue& value, size_t region) const {
    const auto roles = roles_.find(value.node);
    return roles != roles_.end() && roles->second.gives_sizes && IsIn(*value.node, region);
  }
  // Whether the node reads the value in its region, and as nothing else.
  bool TakesInRegion(const PlanNode& node, const PlanValue& value, size_t region) const;
  // Whether a Transpose takes from the region what it hands to it; such a one stays.
  bool IsBetween(const PlanNode& transpose, size_t region) const;
  // Whether the reader transposes what leaves the region.
  bool IsTurned(const PlanNode& reader, const PlanValue& value, size_t region) const;
  // Whether a value that enters is a constant that is worth another.
  bool IsConstant(const PlanValue& value) const;
  // Each as often as it reads.
  std::vector<PlanNode*> ReadersOf(const PlanValue& value) const;
  bool IsFetched(const PlanValue& value) const { return fetched_.count(value) > 0; }

 private:
  bool IsMade(const PlanValue& value) const;
  bool IsIn(const PlanNode& node, size_t region) const;
  void Gather(PlanNode* first);

  std::set<const PlanNode*> constants_;
  PlanUses uses_;
  bool has_transposes_ = false;
  std::set<PlanValue> fetched_;
  std::unordered_set<const PlanNode*> waited_for_;
  std::unordered_map<const PlanNode*, LayoutRoles> roles_;
  std::unordered_map<const PlanNode*, std::vector<PlanNode*>> neighbours_;
  std::vector<std::vector<PlanNode*>> regions_;
  std::unordered_map<const PlanNode*, size_t> region_of_;
};

}  // namespace tfbuild
