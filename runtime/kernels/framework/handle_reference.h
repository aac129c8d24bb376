#pragma once

#include <memory>
#include <string>

#include "kernels/framework/resource_inputs.h"

namespace tfbuild {

// What the oldest ops, those of FIFOQueue and TextLineReader, put out in the place of a handle: a
// reference to a string tensor with container and name, as TensorFlow. Ours knows the handle.
struct HandleReference final : Variable {
  int64_t handle = 0;
};

// What is named by the attributes container and shared_name of a node, or else by its own name.
struct SharedName {
  std::string container;
  std::string name;
  static Result<SharedName> Of(const OpKernelConstruction& construction);
};

// Puts out a T of the session, as a handle or a reference, whichever the op is defined with.
template <typename T>
class HandleOutput {
 public:
  // The T, which is made where there is none.
  Result<std::shared_ptr<T>> Init(const OpKernelConstruction& construction, const SharedName& name) {
    ResourceManager* const resources = construction.resources;
    if (resources == nullptr) return FailedPrecondition("only a session has a ", T::kKind);
    reference_.handle = resources->Handle<T>(name.container, name.name);
    reference_.value = Tensor::Strings(Shape{2}, {name.container, name.name});
    reference_.device = construction.device;
    return resources->FindOrCreate<T>(reference_.handle);
  }
  void Set(OpKernelContext* context) {
    if (context->node().output(0).is_ref) {
      context->SetOutputVariable(0, &reference_);
    } else {
      context->SetOutput(0, HandleTensor(reference_.handle));
    }
  }

 private:
  HandleReference reference_;
};

// The T whose handle is input i, or that it refers to.
template <typename T>
Result<std::shared_ptr<T>> SharedAt(const OpKernelContext& context, int i) {
  Variable* const referred = context.input_variable(i);
  if (referred == nullptr) return ResourceAt<T>(context, i);
  const auto* reference = dynamic_cast<const HandleReference*>(referred);
  if (reference == nullptr || context.step() == nullptr) {
    return InvalidArgument("input ", i, " refers to a variable and to no ", T::kKind);
  }
  return context.step()->resources.Find<T>(reference->handle);
}

}  // namespace tfbuild
