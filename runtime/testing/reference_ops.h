#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/framework/step_context.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

// Something that a session shares by a reference, as the oldest ops put it out, used through its ops in
// one step.
class ReferenceOps {
 public:
  ReferenceOps(const std::string& op, AttrMap attrs) {
    node_ = *graph_.AddNode({"shared", op, {}, {}, std::move(attrs), ""});
    EXPECT_OK(Run(node_, {}));
    handle_ = outputs_[0];
  }
  // Runs an op whose first input is the reference; `values` are the others.
  Status Call(const std::string& op, const std::vector<Tensor>& values, AttrMap attrs) {
    NodeSpec spec{StrCat("op", calls_++), op, {{node_, 0}}, {}, std::move(attrs), ""};
    std::vector<Entry> inputs{handle_};
    for (const Tensor& value : values) {
      const AttrMap type{{"dtype", value.dtype()}};
      ASSIGN_OR_RETURN(Node * source,
                       graph_.AddNode({StrCat("in", calls_++), "Placeholder", {}, {}, type, ""}));
      spec.inputs.push_back({source, 0});
      inputs.push_back({value, nullptr});
    }
    ASSIGN_OR_RETURN(Node * node, graph_.AddNode(std::move(spec)));
    return Run(node, std::move(inputs));
  }
  // Of the last call.
  const Tensor& output(size_t i) const { return outputs_[i].value; }

 private:
  Status Run(Node* node, std::vector<Entry> inputs) {
    ASSIGN_OR_RETURN(const KernelRegistration* registration,
                     KernelRegistry::Global().Find(*node, DeviceType::kCpu));
    kernels_.push_back(registration->make());  // the reference is the kernel's
    RETURN_IF_ERROR(kernels_.back()->Init({*node, CpuDevice(), &resources_}));
    const std::vector<Entry*> pointers = EntryPointers(&inputs);
    outputs_.assign(static_cast<size_t>(node->num_outputs()), Entry());
    const bool on_host[8] = {true, true, true, true, true, true, true, true};
    OpKernelContext context({node, CpuDevice(), pointers.data(), outputs_.data(), on_host, on_host,
                             nullptr, &step_});
    return kernels_.back()->Compute(&context);
  }

  Graph graph_;
  ResourceManager resources_;
  StepContext step_{1, &resources_};
  std::vector<std::unique_ptr<OpKernel>> kernels_;
  Node* node_ = nullptr;
  Entry handle_;
  std::vector<Entry> outputs_;
  int calls_ = 0;
};

}  // namespace testing
}  // namespace tfbuild
