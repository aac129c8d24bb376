#include "kernels/framework/reduction.h"

#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

// Which of `rank` dimensions are reduced.
Result<std::vector<bool>> MarkReduced(int rank, const std::vector<int64_t>& axes) {
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const int64_t given : axes) {
    ASSIGN_OR_RETURN(const int axis, CanonicalAxis(given, rank));
    if (reduced[static_cast<size_t>(axis)]) {
      return InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: ",
                             axis);
    }
    reduced[static_cast<size_t>(axis)] = true;
  }
  return reduced;
}

void AddDim(int64_t size, bool reduced, ReductionPlan* plan) {
  if (plan->dims.empty()) plan->first_is_reduced = reduced;
  const bool merge = !plan->dims.empty() && plan->is_reduced(plan->dims.size() - 1) == reduced;
  if (merge) {
    plan->dims.back() *= size;
  } else {
    plan->dims.push_back(size);
  }
}

}  // namespace

Result<ReductionPlan> PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntsFrom(axes));
  ASSIGN_OR_RETURN(const std::vector<bool> marks, MarkReduced(input.rank(), values));
  ReductionPlan plan;
  std::vector<int64_t> output;
  for (int i = 0; i < input.rank(); ++i) {
    const bool reduced = marks[static_cast<size_t>(i)];
    const int64_t dim = input.dim(i);
    if (!reduced) output.push_back(dim);
    if (reduced && keep_dims) output.push_back(1);
    if (dim != 1 && input.num_elements() > 0) AddDim(dim, reduced, &plan);
  }
  if (plan.dims.empty()) plan.dims.push_back(1);
  ASSIGN_OR_RETURN(plan.output, Shape::Make(std::move(output)));
  plan.outputs = plan.output.num_elements();
  plan.reduced = plan.outputs > 0 ? input.num_elements() / plan.outputs : 0;
  return plan;
}

Status ReductionShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  const PartialShape& indices = context->input(1);
  if (indices.known_rank() && indices.rank() > 1) {
    return InvalidArgument("reduction_indices must be a scalar or a vector, not of shape ",
                           indices);
  }
  ASSIGN_OR_RETURN(const bool keep_dims, context->Attr<bool>("keep_dims"));
  ASSIGN_OR_RETURN(const auto axes, KnownInts(*context, 1));
  if (!input.known_rank()) return OkStatus();
  if (!axes) {
    if (keep_dims) context->set_output(0, PartialShape::UnknownOfRank(input.rank()));
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<bool> marks, MarkReduced(input.rank(), *axes));
  std::vector<int64_t> dims;
  for (int i = 0; i < input.rank(); ++i) {
    const bool reduced = marks[static_cast<size_t>(i)];
    if (!reduced || keep_dims) dims.push_back(reduced ? 1 : input.dim(i));
  }
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

}  // namespace tfbuild
