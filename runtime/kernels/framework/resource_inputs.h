#pragma once

#include <memory>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/step_context.h"
#include "kernels/framework/variable.h"

namespace tfbuild {

// The handle in input i; InvalidArgument when that holds none.
inline Result<int64_t> HandleAt(const OpKernelContext& context, int i) {
  const Tensor& handle = context.input(i);
  if (handle.dtype() != DType::kResource || handle.num_elements() < 1) {
    return InvalidArgument("input ", i, " is no handle");
  }
  if (context.step() == nullptr) return FailedPrecondition("only a step has resources");
  return *static_cast<const int64_t*>(handle.raw());
}

// The T whose handle is input i.
template <typename T>
Result<std::shared_ptr<T>> ResourceAt(const OpKernelContext& context, int i) {
  ASSIGN_OR_RETURN(const int64_t handle, HandleAt(context, i));
  return context.step()->resources.Find<T>(handle);
}

// A handle as a host tensor.
inline Tensor HandleTensor(int64_t handle) {
  const Tensor number = Tensor::Scalar<int64_t>(handle);
  return Tensor(DType::kResource, Shape{}, number.buffer());
}

// The variable that a value refers to or is the handle of. NotFound and InvalidArgument as
// ResourceManager::Find.
Result<std::shared_ptr<Variable>> VariableOf(const Entry& entry, const StepContext& step);
// The variable that input i refers to or has the handle of. FailedPrecondition for a handle of one
// that was never set, or was destroyed.
Result<std::shared_ptr<Variable>> VariableAt(const OpKernelContext& context, int i);
// What the variable holds now; FailedPrecondition when that is nothing, InvalidArgument when it is of
// another type.
Result<Tensor> VariableValueAt(const OpKernelContext& context, int i, DType dtype);

}  // namespace tfbuild
