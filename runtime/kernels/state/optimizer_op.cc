#include "kernels/state/optimizer_op.h"

#include "kernels/framework/locked_variables.h"
#include "kernels/state/row_updates.h"

namespace tfbuild {

Status OptimizerShape(ShapeContext* context, const OptimizerInputs& inputs) {
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("T"));
  const bool handles = context->num_outputs() == 0;
  PartialShape shape = inputs.sparse ? PartialShape() : context->input(inputs.gradient);
  for (int i = 0; i < context->num_inputs(); ++i) {
    if (i < inputs.variables) {
      PartialShape held = context->input(i);
      if (handles) {
        ASSIGN_OR_RETURN(held, context->variable_shape(i, dtype));
      }
      ASSIGN_OR_RETURN(shape, shape.MergeWith(held));
    } else if (inputs.IsScalar(i)) {
      RETURN_IF_ERROR(context->WithRank(i, 0).status());
    }
  }
  if (inputs.sparse) {
    RETURN_IF_ERROR(GradientFits(shape, context->input(inputs.gradient + 1),
                                 context->input(inputs.gradient)));
  }
  if (!handles) context->set_output(0, std::move(shape));
  return OkStatus();
}

Status OptimizerOp::Init(const OpKernelConstruction& construction) {
  if (inputs_.flag == nullptr) return OkStatus();
  ASSIGN_OR_RETURN(flag_, construction.Attr<bool>(inputs_.flag));
  return OkStatus();
}

Status OptimizerOp::Compute(OpKernelContext* context) {
  const Tensor& gradient = Gradient(*context);
  ASSIGN_OR_RETURN(const LockedVariables locked,
                   LockedVariables::Lock(context, inputs_.variables));
  ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                   locked.MutableValues(context, gradient.dtype()));
  const Shape& shape = values[0]->shape();
  std::vector<int64_t> rows;
  if (inputs_.sparse) {
    const Tensor& indices = context->input(inputs_.gradient + 1);
    RETURN_IF_ERROR(GradientFits(shape, indices.shape(), gradient.shape()));
    ASSIGN_OR_RETURN(rows, indices.IntValues());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0 && rows[i] < shape.dim(0)) continue;
      return InvalidArgument("Index ", rows[i], " at offset ", i, " in indices is out of range [0, ",
                             shape.dim(0), ")");
    }
  } else {
    RETURN_IF_ERROR(CheckInputShape(*context, inputs_.gradient, shape));
  }
  for (int i = 0; i < context->num_inputs(); ++i) {
    if (inputs_.IsScalar(i)) RETURN_IF_ERROR(CheckScalarInput(*context, i));
  }
  Apply(*context, values, rows);
  ForwardReference(context);
  return OkStatus();
}

}  // namespace tfbuild
