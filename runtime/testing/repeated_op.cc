#include "testing/repeated_op.h"

#include "testing/op_test.h"
#include "testing/run_kernel.h"

namespace tfbuild {
namespace testing {
namespace {

Result<Node*> AddOp(Graph* graph, const std::string& op, const std::vector<Tensor>& inputs,
                    AttrMap attrs) {
  NodeSpec spec{"op", op, {}, {}, std::move(attrs), ""};
  for (const Tensor& input : inputs) {
    AttrMap value{{"dtype", input.dtype()}, {"value", input}};
    const std::string name = StrCat("input", spec.inputs.size());
    ASSIGN_OR_RETURN(Node * node, graph->AddNode({name, "Const", {}, {}, std::move(value), ""}));
    spec.inputs.push_back({node, 0});
  }
  return graph->AddNode(std::move(spec));
}

}  // namespace

Result<std::vector<Tensor>> RunRepeatedly(Device* device, const std::string& op,
                                          const std::vector<Tensor>& inputs, AttrMap attrs,
                                          int steps) {
  Graph graph;
  ASSIGN_OR_RETURN(Node * node, AddOp(&graph, op, inputs, std::move(attrs)));
  ASSIGN_OR_RETURN(const KernelRegistration* registration,
                   KernelRegistry::Global().Find(*node, device->type()));
  std::unique_ptr<OpKernel> kernel = registration->make();
  ResourceManager resources;
  RETURN_IF_ERROR(kernel->Init({*node, device, &resources}));
  const std::vector<bool> inputs_on_host = InputsOnHost(*registration, *node);
  const std::vector<bool> outputs_on_host = OutputsOnHost(*registration, *node);
  const auto input_flags = Flags(inputs_on_host), output_flags = Flags(outputs_on_host);
  std::vector<Tensor> results;
  for (int step = 0; step < steps; ++step) {
    std::vector<Entry> entries(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      entries[i].value = inputs[i];
      if (inputs_on_host[i]) continue;
      ASSIGN_OR_RETURN(entries[i].value, CopyTo(device, inputs[i]));
    }
    std::vector<Entry> outputs(static_cast<size_t>(node->num_outputs()));
    const std::vector<Entry*> pointers = EntryPointers(&entries);
    OpKernelContext context(
        {node, device, pointers.data(), outputs.data(), input_flags.get(), output_flags.get()});
    RETURN_IF_ERROR(kernel->Compute(&context));
    RETURN_IF_ERROR(device->Synchronize());
    Device* const place = outputs_on_host[0] ? CpuDevice() : device;
    ASSIGN_OR_RETURN(Tensor result, CopyBack(place, outputs[0].value));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace testing
}  // namespace tfbuild
