#include "testing/step_ops.h"

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
                   KernelRegistry::Global().Find(*node, DeviceType::kCpu));
  const std::unique_ptr<OpKernel> kernel = registration->make();
  RETURN_IF_ERROR(kernel->Init({*node, CpuDevice(), &resources_}));
  std::vector<Entry> inputs;
  for (const Tensor& value : values) inputs.push_back({value, nullptr});
  const std::vector<Entry*> pointers = EntryPointers(&inputs);
  std::vector<Entry> outputs(static_cast<size_t>(node->num_outputs()));
  const std::vector<bool> marks(std::max(inputs.size(), outputs.size()) + 1, true);
  const auto on_host = std::make_unique<bool[]>(marks.size());
  std::copy(marks.begin(), marks.end(), on_host.get());
  OpKernelContext context({node, CpuDevice(), pointers.data(), outputs.data(), on_host.get(),
                           on_host.get(), nullptr, &step_});
  RETURN_IF_ERROR(kernel->Compute(&context));
  std::vector<Tensor> results;
  for (const Entry& output : outputs) results.push_back(output.value);
  return results;
}

Result<Tensor> StepOps::First(const std::string& op, const std::vector<Tensor>& values,
                              AttrMap attrs) {
  ASSIGN_OR_RETURN(const std::vector<Tensor> results, Call(op, values, std::move(attrs)));
  return results[0];
}

}  // namespace testing
}  // namespace tfbuild
