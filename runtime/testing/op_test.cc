#include "testing/op_test.h"

#include <algorithm>

#include "testing/run_kernel.h"

namespace tfbuild {
namespace testing {

std::vector<Entry*> EntryPointers(std::vector<Entry>* entries) {
  std::vector<Entry*> pointers;
  for (Entry& entry : *entries) pointers.push_back(&entry);
  return pointers;
}

Closeness ClosenessOn(const Device& device, Closeness closeness) {
  if (device.type() == DeviceType::kGpu) closeness.ulps += kUlpsOfGpu;
  return closeness;
}

Result<Node*> OpTest::Build(Graph* graph) const {
  NodeSpec spec{"op", op_, {}, {}, attrs_, ""};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    AttrMap attrs{{"dtype", inputs_[i].dtype()}, {"value", inputs_[i]}};
    ASSIGN_OR_RETURN(Node * source,
                     graph->AddNode({StrCat("input", i), "Const", {}, {}, std::move(attrs), ""}));
    spec.inputs.push_back({source, 0});
  }
  return graph->AddNode(std::move(spec));
}

Result<std::vector<Tensor>> OpTest::RunOn(Device* device) {
  Graph graph;
  ASSIGN_OR_RETURN(Node * node, Build(&graph));
  ASSIGN_OR_RETURN(const KernelRegistration* registration,
                   KernelRegistry::Global().Find(*node, device->type()));
  const std::vector<bool> inputs_on_host = InputsOnHost(*registration, *node);
  const std::vector<bool> outputs_on_host = OutputsOnHost(*registration, *node);
  std::vector<Entry> inputs(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    // A copy also on the host: the kernel may write into inputs that nobody else holds.
    const bool host = inputs_on_host[i];
    ASSIGN_OR_RETURN(inputs[i].value, CopyTo(host ? CpuDevice() : device, inputs_[i]));
  }
  std::unique_ptr<OpKernel> kernel = registration->make();
  ResourceManager resources;
  RETURN_IF_ERROR(kernel->Init({*node, device, &resources}));
  std::vector<Entry> outputs(static_cast<size_t>(node->num_outputs()));
  const auto input_flags = Flags(inputs_on_host), output_flags = Flags(outputs_on_host);
  const std::vector<Entry*> pointers = EntryPointers(&inputs);
  OpKernelContext context(
      {node, device, pointers.data(), outputs.data(), input_flags.get(), output_flags.get()});
  RETURN_IF_ERROR(kernel->Compute(&context));
  RETURN_IF_ERROR(device->Synchronize());
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Device* place = outputs_on_host[i] ? CpuDevice() : device;
    ASSIGN_OR_RETURN(Tensor result, CopyBack(place, outputs[i].value));
    results.push_back(std::move(result));
  }
  return results;
}

void OpTest::Run() {
  Graph graph;
  const Result<Node*> node = Build(&graph);
  ASSERT_OK(node);
  // Which are never placed on a GPU, whatever else its kernels take.
  const bool host_objects = std::any_of(inputs_.begin(), inputs_.end(), [](const Tensor& input) {
    return IsHostObject(input.dtype());
  });
  for (Device* device : LocalDevices()) {
    const bool has_kernel = KernelRegistry::Global().Find(**node, device->type()).ok();
    if ((!has_kernel || host_objects) && device->type() != DeviceType::kCpu) continue;
    const Result<std::vector<Tensor>> outputs = RunOn(device);
    ASSERT_OK(outputs);
    EXPECT_TRUE(expected_.size() <= outputs->size());
    for (size_t i = 0; i < expected_.size(); ++i) {
      ExpectClose((*outputs)[i], expected_[i], ClosenessOn(*device, closeness_));
      const PartialShape& inferred = (*node)->output(static_cast<int>(i)).shape;
      if (!inferred.CompatibleWith((*outputs)[i].shape())) {
        Fail(__FILE__, __LINE__, StrCat("output ", i, " has shape ", (*outputs)[i].shape(),
                                        ", but the shape function says ", inferred));
      }
    }
  }
}

void OpTest::RunExpectingError(Code code, const std::string& part) {
  Graph graph;
  const Result<Node*> node = Build(&graph);
  for (Device* device : LocalDevices()) {
    const bool on_cpu = device->type() == DeviceType::kCpu;
    if (!on_cpu && (!node.ok() || !KernelRegistry::Global().Find(**node, device->type()).ok())) {
      continue;
    }
    EXPECT_ERROR(RunOn(device), code, part);
  }
}

}  // namespace testing
}  // namespace tfbuild
