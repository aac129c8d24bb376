#include "testing/step_ops.h"

#include "testing/run_kernel.h"

namespace tfbuild {
namespace testing {

Result<std::vector<Tensor>> StepOps::Call(const std::string& op, const std::vector<Tensor>& values,
                                          AttrMap attrs) {
  Graph graph;
  NodeSpec spec{"op", op, {}, {}, std::move(attrs), ""};
  for (const Tensor& value : values) {
    const std::string name = StrCat("input", spec.inputs.size());
    ASSIGN_OR_RETURN(Node * source,
                     graph.AddNode({name, "Placeholder", {}, {}, {{"dtype", value.dtype()}}, ""}));
    spec.inputs.push_back({source, 0});
  }
  ASSIGN_OR_RETURN(Node * node, graph.AddNode(std::move(spec)));
  ASSIGN_OR_RETURN(const KernelRegistration* registration,
                   KernelRegistry::Global().Find(*node, device_->type()));
  const std::unique_ptr<OpKernel> kernel = registration->make();
  RETURN_IF_ERROR(kernel->Init({*node, device_, &resources_}));
  const std::vector<bool> inputs_on_host = InputsOnHost(*registration, *node);
  const std::vector<bool> outputs_on_host = OutputsOnHost(*registration, *node);
  std::vector<Entry> inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    inputs.push_back({values[i], nullptr});
    if (inputs_on_host[i]) continue;
    ASSIGN_OR_RETURN(inputs[i].value, CopyTo(device_, values[i]));
  }
  const std::vector<Entry*> pointers = EntryPointers(&inputs);
  std::vector<Entry> outputs(static_cast<size_t>(node->num_outputs()));
  const auto input_flags = Flags(inputs_on_host), output_flags = Flags(outputs_on_host);
  OpKernelContext context({node, device_, pointers.data(), outputs.data(), input_flags.get(),
                           output_flags.get(), nullptr, &step_});
  RETURN_IF_ERROR(kernel->Compute(&context));
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    results.push_back(outputs[i].value);
    if (outputs_on_host[i]) continue;
    ASSIGN_OR_RETURN(results[i], CopyBack(device_, outputs[i].value));
  }
  return results;
}

Result<Tensor> StepOps::First(const std::string& op, const std::vector<Tensor>& values,
                              AttrMap attrs) {
  ASSIGN_OR_RETURN(const std::vector<Tensor> results, Call(op, values, std::move(attrs)));
  return results[0];
}

}  // namespace testing
}  // namespace tfbuild
