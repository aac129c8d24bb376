// VariableV2, Variable (its older name) and IsVariableInitialized.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/variable.h"

namespace tfbuild {
namespace {

Status DeclaredShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->Attr<PartialShape>("shape"));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

// The old op could not say "unknown shape"; it wrote a scalar's shape instead.
Status OldDeclaredShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->Attr<PartialShape>("shape"));
  context->set_output(0, shape.rank() == 0 ? PartialShape() : std::move(shape));
  return OkStatus();
}

REGISTER_OP("VariableV2")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .ShapeFunction(DeclaredShape);

REGISTER_OP("Variable")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .ShapeFunction(OldDeclaredShape);

REGISTER_OP("IsVariableInitialized")
    .Input("ref: Ref(dtype)")
    .Output("is_initialized: bool")
    .Attr("dtype: type")
    .ShapeFunction(ScalarShape);

class VariableOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(std::string name, construction.Attr<std::string>("shared_name"));
    if (name.empty()) name = construction.node.name();
    ASSIGN_OR_RETURN(const std::string container, construction.Attr<std::string>("container"));
    ResourceManager* resources = construction.resources;
    ASSIGN_OR_RETURN(variable_, resources->FindOrCreate<ReferenceVariable>(
                                    resources->Handle<ReferenceVariable>(container, name)));
    std::lock_guard<std::mutex> lock(variable_->mutex);
    if (variable_->device == nullptr) variable_->device = construction.device;
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    context->SetOutputVariable(0, variable_.get());
    return OkStatus();
  }

 private:
  std::shared_ptr<ReferenceVariable> variable_;
};

class IsVariableInitializedOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    Variable* variable = context->input_variable(0);
    if (variable == nullptr) return InvalidArgument("input 0 must be a variable");
    std::lock_guard<std::mutex> lock(variable->mutex);
    context->SetOutput(0, Tensor::Scalar<bool>(variable->value.initialized()));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("VariableV2").OnCpu(), VariableOp);
REGISTER_KERNEL(Kernel("VariableV2").OnGpu(), VariableOp);
REGISTER_KERNEL(Kernel("Variable").OnCpu(), VariableOp);
REGISTER_KERNEL(Kernel("Variable").OnGpu(), VariableOp);
REGISTER_KERNEL(Kernel("IsVariableInitialized").OnCpu(), IsVariableInitializedOp);
REGISTER_KERNEL(Kernel("IsVariableInitialized").OnGpu().HostMemory("is_initialized"),
                IsVariableInitializedOp);

}  // namespace
}  // namespace tfbuild
