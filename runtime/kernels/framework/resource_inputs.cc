#include "kernels/framework/resource_inputs.h"

namespace tfbuild {

Result<std::shared_ptr<Variable>> VariableOf(const Entry& entry, const StepContext& step) {
  if (entry.variable != nullptr) {
    return std::shared_ptr<Variable>(std::shared_ptr<Variable>(), entry.variable);  // the session's
  }
  if (entry.value.dtype() != DType::kResource || entry.value.num_elements() < 1) {
    return InvalidArgument("a value that is no variable");
  }
  return step.resources.Find<Variable>(*static_cast<const int64_t*>(entry.value.raw()));
}

Result<std::shared_ptr<Variable>> VariableAt(const OpKernelContext& context, int i) {
  if (Variable* referred = context.input_variable(i)) {
    return std::shared_ptr<Variable>(std::shared_ptr<Variable>(), referred);  // the session's
  }
  const Tensor& handle = context.input(i);
  if (handle.initialized() && handle.dtype() != DType::kResource) {
    return InvalidArgument("input ", i, " must be a variable");
  }
  Result<std::shared_ptr<Variable>> found = ResourceAt<Variable>(context, i);
  if (found.ok() || found.status().code() != Code::kNotFound) return found;
  return FailedPrecondition(found.status().message(),
                            ": it is uninitialized, or was destroyed");
}

Result<Tensor> VariableValueAt(const OpKernelContext& context, int i, DType dtype) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable, VariableAt(context, i));
  std::lock_guard<std::mutex> lock(variable->mutex);
  if (!variable->value.initialized()) {
    return FailedPrecondition("attempting to use an uninitialized variable");
  }
  if (variable->value.dtype() != dtype) {
    return InvalidArgument("the variable holds ", DTypeName(variable->value.dtype()), ", not ",
                           DTypeName(dtype));
  }
  return variable->value;
}

}  // namespace tfbuild
