#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "base/stop.h"
#include "kernels/framework/resource_inputs.h"

namespace tfbuild {

// The variables behind the first inputs of an op, references or handles, all locked while this
// lives. One variable may come twice; the order of locking is that of the addresses, so two ops
// cannot wait for each other. Nothing stops the op meanwhile, as they would stay half written.
class LockedVariables {
 public:
  LockedVariables(LockedVariables&&) = default;
  static Result<LockedVariables> Lock(OpKernelContext* context, int count) {
    std::vector<std::shared_ptr<Variable>> variables;
    for (int i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, VariableAt(*context, i));
      variables.push_back(std::move(variable));
    }
    return LockedVariables(std::move(variables));
  }
  explicit LockedVariables(std::vector<std::shared_ptr<Variable>> variables)
      : variables_(std::move(variables)) {
    std::vector<std::shared_ptr<Variable>> sorted = variables_;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const auto& variable : sorted) locks_.emplace_back(variable->mutex);
  }

  int size() const { return static_cast<int>(variables_.size()); }
  Variable* operator[](int i) const { return variables_[static_cast<size_t>(i)].get(); }

  // Their tensors for writing in place; InvalidArgument unless all are of the type `dtype` and have
  // the shape of the first.
  Result<std::vector<Tensor*>> MutableValues(OpKernelContext* context, DType dtype) const {
    std::vector<Tensor*> values;
    for (size_t i = 0; i < variables_.size(); ++i) {
      ASSIGN_OR_RETURN(Tensor * value, context->MutableValue(variables_[i].get()));
      values.push_back(value);
      if (value->dtype() != dtype) {
        return InvalidArgument("variable ", i, " holds ", DTypeName(value->dtype()), ", not ",
                               DTypeName(dtype));
      }
      if (value->shape() != values[0]->shape()) {
        return InvalidArgument("variable ", i, " has shape ", value->shape(),
                               " but the first variable has shape ", values[0]->shape());
      }
    }
    return values;
  }

 private:
  std::unique_ptr<StopScope> not_stopped_ = std::make_unique<StopScope>(nullptr);
  std::vector<std::shared_ptr<Variable>> variables_;
  std::vector<std::unique_lock<std::mutex>> locks_;  // given up before the variables
};

// A kernel on a GPU that changes variables where they lie, by work that it queues, and does nothing else:
// such work can be queued again as long as they lie there.
class UpdatesVariables {
 public:
  // How many of the first inputs they are.
  virtual int num_updated() const = 0;

 protected:
  ~UpdatesVariables() = default;
};

// Hands the first input's reference on, where the op has an output.
inline void ForwardReference(OpKernelContext* context) {
  if (context->num_outputs() > 0) context->SetOutputVariable(0, context->input_variable(0));
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
