#include "testing/variable_op_test.h"

#include <algorithm>

#include "kernels/framework/resource_inputs.h"
#include "testing/run_kernel.h"

namespace tfbuild {
namespace testing {
namespace {

bool TakesHandles(const std::string& op) {
  return (*OpRegistry::Global().Find(op))->inputs[0].type == DType::kResource;
}

std::string NameOf(size_t variable) { return StrCat("variable", variable); }

}  // namespace

VariableOpTest& VariableOpTest::Variable(Tensor value) {
  variables_.push_back({value.dtype(), PartialShape(value.shape()), value});
  return *this;
}

VariableOpTest& VariableOpTest::Uninitialized(DType dtype, const PartialShape& shape) {
  variables_.push_back({dtype, shape, Tensor()});
  return *this;
}

std::vector<std::string> VariableOpTest::Forms() const {
  std::vector<std::string> forms{op_};
  // Shapes may change under a reference alone.
  if (attrs_.count("validate_shape") > 0) return forms;
  for (const std::string& other : {StrCat("Resource", op_), StrCat(op_, "VariableOp")}) {
    if (OpRegistry::Global().Find(other).ok()) forms.push_back(other);
  }
  return forms;
}

Result<Node*> VariableOpTest::Build(const std::string& op, Graph* graph) const {
  NodeSpec spec{"op", op, {}, {}, attrs_, ""};
  const bool handles = TakesHandles(op);
  for (const Declared& declared : variables_) {
    const std::string name = NameOf(spec.inputs.size());
    AttrMap attrs{{"dtype", declared.dtype}, {"shape", declared.shape}, {"shared_name", name}};
    ASSIGN_OR_RETURN(Node * node, graph->AddNode({name, handles ? "VarHandleOp" : "VariableV2",
                                                  {}, {}, std::move(attrs), ""}));
    spec.inputs.push_back({node, 0});
  }
  for (const Tensor& input : inputs_) {
    AttrMap attrs{{"dtype", input.dtype()}, {"value", input}};
    const std::string name = StrCat("input", spec.inputs.size());
    ASSIGN_OR_RETURN(Node * node, graph->AddNode({name, "Const", {}, {}, std::move(attrs), ""}));
    spec.inputs.push_back({node, 0});
  }
  // A reference has the type of its variable, a handle does not.
  const OpDef& def = **OpRegistry::Global().Find(op);
  if (handles && def.inputs.size() == 1 && def.FindAttr("T") != nullptr) {
    spec.attrs.emplace("T", variables_[0].dtype);
  }
  return graph->AddNode(std::move(spec));
}

Result<std::vector<Tensor>> VariableOpTest::RunAs(const std::string& op, Device* device) {
  Graph graph;
  ASSIGN_OR_RETURN(Node * node, Build(op, &graph));
  ASSIGN_OR_RETURN(const KernelRegistration* registration,
                   KernelRegistry::Global().Find(*node, device->type()));
  ResourceManager resources;
  StepContext step(1, &resources);
  std::vector<std::unique_ptr<tfbuild::Variable>> referred;
  std::vector<int64_t> handles;
  std::vector<Tensor> readers;  // what somebody read before the op
  std::vector<Entry> inputs;
  for (size_t i = 0; i < variables_.size(); ++i) {
    Tensor value;
    if (variables_[i].value.initialized()) {
      ASSIGN_OR_RETURN(value, CopyTo(device, variables_[i].value));
    }
    readers.push_back(value);
    referred.push_back(std::make_unique<tfbuild::Variable>());
    handles.push_back(resources.Handle<tfbuild::Variable>("", NameOf(i)));
    tfbuild::Variable* variable = referred.back().get();
    if (TakesHandles(op)) {
      inputs.push_back({HandleTensor(handles.back()), nullptr});
      if (!value.initialized()) continue;
      variable = resources.FindOrCreate<tfbuild::Variable>(handles.back())->get();
    } else {
      inputs.push_back({Tensor(), variable});
    }
    variable->device = device;
    variable->value = std::move(value);
  }
  const std::vector<bool> on_host = InputsOnHost(*registration, *node);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    ASSIGN_OR_RETURN(Tensor value,
                     CopyTo(on_host[inputs.size()] ? CpuDevice() : device, inputs_[i]));
    inputs.push_back({std::move(value), nullptr});
  }
  const std::unique_ptr<OpKernel> kernel = registration->make();
  RETURN_IF_ERROR(kernel->Init({*node, device, &resources}));
  Entry output;
  const auto flags = Flags(on_host);
  const std::vector<Entry*> pointers = EntryPointers(&inputs);
  OpKernelContext context({node, device, pointers.data(), &output, flags.get(), flags.get(),
                           nullptr, &step});
  RETURN_IF_ERROR(kernel->Compute(&context));
  RETURN_IF_ERROR(device->Synchronize());
  if (node->num_outputs() > 0 && Endpoint{node, 0}.is_ref()) {
    EXPECT_TRUE(output.variable == inputs[0].variable);
  }
  std::vector<Tensor> after;
  for (size_t i = 0; i < variables_.size(); ++i) {
    Tensor held = referred[i]->value;
    if (TakesHandles(op)) {
      ASSIGN_OR_RETURN(const auto variable, resources.Find<tfbuild::Variable>(handles[i]));
      held = variable->value;
    }
    ASSIGN_OR_RETURN(Tensor value, CopyBack(device, held));
    after.push_back(std::move(value));
    if (!readers[i].initialized()) continue;
    ASSIGN_OR_RETURN(const Tensor read, CopyBack(device, readers[i]));
    ExpectClose(read, variables_[i].value, Ulps(0));
  }
  return after;
}

void VariableOpTest::Run() {
  for (const std::string& op : Forms()) {
    Graph graph;
    const Result<Node*> node = Build(op, &graph);
    ASSERT_OK(node);
    for (Device* device : LocalDevices()) {
      const bool has_kernel = KernelRegistry::Global().Find(**node, device->type()).ok();
      if (!has_kernel && device->type() != DeviceType::kCpu) continue;
      const Result<std::vector<Tensor>> after = RunAs(op, device);
      ASSERT_OK(after);
      EXPECT_EQ(after->size(), expected_.size());
      for (size_t i = 0; i < std::min(after->size(), expected_.size()); ++i) {
        ExpectClose((*after)[i], expected_[i], ClosenessOn(*device, closeness_));
      }
    }
  }
}

void VariableOpTest::RunExpectingError(Code code, const std::string& part) {
  for (const std::string& op : Forms()) EXPECT_ERROR(RunAs(op, CpuDevice()), code, part);
}

}  // namespace testing
}  // namespace tfbuild
