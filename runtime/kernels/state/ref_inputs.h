#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// The variables behind the first inputs of an op, all locked while this lives. One variable may
// come twice; the order of locking is that of the addresses, so two ops cannot wait for each other.
class LockedVariables {
 public:
  LockedVariables(LockedVariables&&) = default;
  static Result<LockedVariables> Lock(OpKernelContext* context, int count) {
    LockedVariables locked;
    std::vector<Variable*> variables;
    for (int i = 0; i < count; ++i) {
      Variable* variable = context->input_variable(i);
      if (variable == nullptr) return InvalidArgument("input ", i, " must be a variable");
      variables.push_back(variable);
    }
    std::sort(variables.begin(), variables.end(), std::less<Variable*>());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    for (Variable* variable : variables) locked.locks_.emplace_back(variable->mutex);
    return Result<LockedVariables>(std::move(locked));
  }

 private:
  LockedVariables() = default;
  std::vector<std::unique_lock<std::mutex>> locks_;
};

// The tensors of the first `count` inputs, all of them variables already locked, for writing in
// place; InvalidArgument unless all have the shape of the first.
inline Result<std::vector<Tensor*>> MutableValues(OpKernelContext* context, int count) {
  std::vector<Tensor*> values;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Tensor * value, context->MutableValue(context->input_variable(i)));
    values.push_back(value);
    if (value->dtype() != values[0]->dtype() || value->shape() != values[0]->shape()) {
      return InvalidArgument("variable ", i, " has shape ", value->shape(),
                             " but the first variable has shape ", values[0]->shape());
    }
  }
  return values;
}

// Checks that input i is a scalar, or has a shape.
inline Status CheckScalarInput(const OpKernelContext& context, int i) {
  if (context.input(i).rank() == 0) return OkStatus();
  return InvalidArgument(context.node().op().inputs[static_cast<size_t>(i)].name,
                         " must be a scalar but its shape is ", context.input(i).shape());
}
inline Status CheckInputShape(const OpKernelContext& context, int i, const Shape& expected) {
  if (context.input(i).shape() == expected) return OkStatus();
  return InvalidArgument(context.node().op().inputs[static_cast<size_t>(i)].name, " has shape ",
                         context.input(i).shape(), " but the variable has shape ", expected);
}

}  // namespace tfbuild
