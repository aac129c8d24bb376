#include "testing/variable_op_test.h"

#include <algorithm>

namespace tfbuild {
namespace testing {
namespace {

Result<Tensor> CopyTo(Device* device, const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::Allocate(device->allocator(), tensor.dtype(), tensor.shape()));
  RETURN_IF_ERROR(device->CopyFromHost(tensor, &copy));
  return copy;
}

Result<Tensor> CopyToHost(Device* device, const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::Allocate(CpuAllocator(), tensor.dtype(), tensor.shape()));
  RETURN_IF_ERROR(device->CopyToHost(tensor, &copy));
  return copy;
}

// All inputs and outputs on the device.
Status RunKernel(Device* device, Node* node, std::vector<Entry>* inputs) {
  ASSIGN_OR_RETURN(const KernelRegistration* registration,
                   KernelRegistry::Global().Find(*node, device->type()));
  std::unique_ptr<OpKernel> kernel = registration->make();
  ResourceManager resources;
  RETURN_IF_ERROR(kernel->Init({*node, device, &resources}));
  std::vector<Entry> outputs(static_cast<size_t>(node->num_outputs()));
  const bool on_host = device->type() == DeviceType::kCpu;
  const auto flags = std::make_unique<bool[]>(inputs->size() + 1);
  std::fill_n(flags.get(), inputs->size() + 1, on_host);
  const std::vector<Entry*> pointers = EntryPointers(inputs);
  OpKernelContext context(
      {node, device, pointers.data(), outputs.data(), flags.get(), flags.get()});
  RETURN_IF_ERROR(kernel->Compute(&context));
  RETURN_IF_ERROR(device->Synchronize());
  EXPECT_TRUE(outputs[0].variable == (*inputs)[0].variable);
  return OkStatus();
}

}  // namespace

VariableOpTest& VariableOpTest::Variable(Tensor value) {
  variables_.push_back({value.dtype(), PartialShape(value.shape()), value});
  return *this;
}

VariableOpTest& VariableOpTest::Uninitialized(DType dtype, const PartialShape& shape) {
  variables_.push_back({dtype, shape, Tensor()});
  return *this;
}

Result<Node*> VariableOpTest::Build(Graph* graph) const {
  NodeSpec spec{"op", op_, {}, {}, attrs_, ""};
  for (const Declared& declared : variables_) {
    AttrMap attrs{{"dtype", declared.dtype}, {"shape", declared.shape}};
    const std::string name = StrCat("variable", spec.inputs.size());
    ASSIGN_OR_RETURN(Node * node,
                     graph->AddNode({name, "VariableV2", {}, {}, std::move(attrs), ""}));
    spec.inputs.push_back({node, 0});
  }
  for (const Tensor& input : inputs_) {
    AttrMap attrs{{"dtype", input.dtype()}, {"value", input}};
    const std::string name = StrCat("input", spec.inputs.size());
    ASSIGN_OR_RETURN(Node * node, graph->AddNode({name, "Const", {}, {}, std::move(attrs), ""}));
    spec.inputs.push_back({node, 0});
  }
  return graph->AddNode(std::move(spec));
}

Result<std::vector<Tensor>> VariableOpTest::RunOn(Device* device) {
  Graph graph;
  ASSIGN_OR_RETURN(Node * node, Build(&graph));
  std::vector<tfbuild::Variable> variables(variables_.size());
  std::vector<Entry> inputs;
  std::vector<Tensor> readers;  // what somebody read before the op
  for (size_t i = 0; i < variables_.size(); ++i) {
    variables[i].device = device;
    if (variables_[i].value.initialized()) {
      ASSIGN_OR_RETURN(variables[i].value, CopyTo(device, variables_[i].value));
    }
    readers.push_back(variables[i].value);
    inputs.push_back({Tensor(), &variables[i]});
  }
  for (const Tensor& input : inputs_) {
    ASSIGN_OR_RETURN(Tensor value, CopyTo(device, input));
    inputs.push_back({std::move(value), nullptr});
  }
  RETURN_IF_ERROR(RunKernel(device, node, &inputs));
  std::vector<Tensor> after;
  for (size_t i = 0; i < variables_.size(); ++i) {
    ASSIGN_OR_RETURN(Tensor value, CopyToHost(device, variables[i].value));
    after.push_back(std::move(value));
    if (!readers[i].initialized()) continue;
    ASSIGN_OR_RETURN(const Tensor read, CopyToHost(device, readers[i]));
    ExpectClose(read, variables_[i].value, Ulps(0));
  }
  return after;
}

void VariableOpTest::Run() {
  Graph graph;
  const Result<Node*> node = Build(&graph);
  ASSERT_OK(node);
  for (Device* device : LocalDevices()) {
    const bool has_kernel = KernelRegistry::Global().Find(**node, device->type()).ok();
    if (!has_kernel && device->type() != DeviceType::kCpu) continue;
    const Result<std::vector<Tensor>> after = RunOn(device);
    ASSERT_OK(after);
    EXPECT_EQ(after->size(), expected_.size());
    for (size_t i = 0; i < std::min(after->size(), expected_.size()); ++i) {
      ExpectClose((*after)[i], expected_[i], ClosenessOn(*device, closeness_));
    }
  }
}

void VariableOpTest::RunExpectingError(Code code, const std::string& part) {
  EXPECT_ERROR(RunOn(CpuDevice()), code, part);
}

}  // namespace testing
}  // namespace tfbuild
