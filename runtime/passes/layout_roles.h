#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/plan_graph.h"

namespace tfbuild {

// An order of dimensions: number i of the new ones is number order[i] of the old, as in Transpose.
using DimOrder = std::vector<int64_t>;

DimOrder Inverse(const DimOrder& order);
// What transposing by `first` and then by `second` does.
DimOrder Compose(const DimOrder& first, const DimOrder& second);
bool ChangesNothing(const DimOrder& order);

// What an input or output has to do with the dimensions of an op's values.
enum class DimRole {
  kNothing,
  kValue,    // has them
  kOperand,  // a constant that is stretched over them
  kSizes,    // a constant with a number, or a row of numbers, for each; or any vector of numbers
  kAxes,     // a constant that names some
};

// An op whose values may have their dimensions in another order, when all of them change alike.
struct LayoutRoles {
  int rank = 0;
  std::vector<DimRole> inputs;
  std::vector<DimRole> outputs;  // kNothing or kValue
  bool has_format = false;       // data_format: channels last, or behind the batch
  bool gives_sizes = false;      // Shape, whose output has a number for each dimension

  bool Makes(int output) const {
    return outputs[static_cast<size_t>(output)] == DimRole::kValue;
  }
};

// None where the op is of another kind, the rank is not known, or what must be constant is not one of
// `constants`, those of FreeConstants.
std::optional<LayoutRoles> LayoutRolesOf(const PlanNode& node,
                                         const std::set<const PlanNode*>& constants);

// Whether data_format says that channels are last.
bool HasChannelsLast(const PlanNode& node);
// The order that turns one format into the other.
DimOrder OtherFormat(bool channels_last, int rank);
// Whether there is such an op for values in that order.
bool TakesOrder(const PlanNode& node, const LayoutRoles& roles, const DimOrder& order);
// Its attributes.
AttrMap AttrsInOrder(const PlanNode& node, const LayoutRoles& roles, const DimOrder& order);
// The constant that takes the place of one with that role; kValue is allowed, kNothing is not.
Result<Tensor> ConstantInOrder(DimRole role, const Tensor& constant, const DimOrder& order);

}  // namespace tfbuild
