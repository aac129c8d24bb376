#include "kernels/framework/broadcast.h"

namespace tfbuild {
namespace {

// Strides of an operand, aligned to the right with the output, 0 where it stretches.
std::vector<int64_t> AlignedStrides(const Shape& operand, int rank) {
  std::vector<int64_t> strides(static_cast<size_t>(rank), 0);
  int64_t stride = 1;
  for (int i = operand.rank() - 1; i >= 0; --i) {
    const size_t k = static_cast<size_t>(rank - operand.rank() + i);
    strides[k] = operand.dim(i) == 1 ? 0 : stride;
    stride *= operand.dim(i);
  }
  return strides;
}

bool SameKind(const BroadcastPlan& plan, const std::vector<std::vector<int64_t>>& full, size_t k) {
  for (size_t operand = 0; operand < full.size(); ++operand) {
    // The last kept dimension continues with dimension k when one step of it spans all of k.
    if (plan.strides[operand].back() != full[operand][k] * plan.output.dim(static_cast<int>(k))) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<BroadcastPlan> PlanBroadcast(std::initializer_list<const Shape*> operands) {
  BroadcastPlan plan;
  for (const Shape* shape : operands) {
    ASSIGN_OR_RETURN(plan.output, BroadcastShapes(plan.output, *shape));
  }
  if (plan.output.num_elements() == 0) {
    plan.dims = {0};
    plan.strides.assign(operands.size(), {0});
    return plan;
  }
  const int rank = plan.output.rank();
  std::vector<std::vector<int64_t>> full;
  for (const Shape* shape : operands) full.push_back(AlignedStrides(*shape, rank));
  plan.strides.resize(full.size());
  for (size_t k = 0; k < static_cast<size_t>(rank); ++k) {
    const int64_t dim = plan.output.dim(static_cast<int>(k));
    if (dim == 1) continue;
    const bool merge = !plan.dims.empty() && SameKind(plan, full, k);
    if (merge) {
      plan.dims.back() *= dim;
    } else {
      plan.dims.push_back(dim);
    }
    for (size_t i = 0; i < full.size(); ++i) {
      if (merge) plan.strides[i].pop_back();
      plan.strides[i].push_back(full[i][k]);
    }
  }
  if (plan.dims.empty()) {
    plan.dims.push_back(1);
    for (std::vector<int64_t>& strides : plan.strides) strides.push_back(0);
  }
  return plan;
}

}  // namespace tfbuild
