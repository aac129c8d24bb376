// PyFunc and PyFuncStateless: a function of the program around us as an op.
#include "base/fork.h"
#include "graph/shape_context.h"
#include "kernels/framework/host_function.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("PyFunc")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Stateful()
    .ShapeFunction(UnknownShape);

REGISTER_OP("PyFuncStateless")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .ShapeFunction(UnknownShape);

class PyFuncOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(token_, construction.Attr<std::string>("token"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const HostFunctionCaller call = GetHostFunctionCaller();
    if (call == nullptr) {
      return Unimplemented("no function of this process can be called: ", token_);
    }
    std::vector<Tensor> inputs, outputs;
    for (int i = 0; i < context->num_inputs(); ++i) inputs.push_back(context->input(i));
    {
      const ForkAllowed allowed;  // the program's own code
      RETURN_IF_ERROR(call(token_, inputs, &outputs));
    }
    const size_t expected = static_cast<size_t>(context->num_outputs());
    if (outputs.size() != expected) {
      return InvalidArgument(token_, " returns ", outputs.size(), " values, but expects to see ",
                             expected, " values.");
    }
    for (size_t i = 0; i < expected; ++i) {
      const DType dtype = context->node().output(static_cast<int>(i)).dtype;
      if (outputs[i].dtype() != dtype) {
        return InvalidArgument(i, "-th value returned by ", token_, " is ",
                               DTypeName(outputs[i].dtype()), ", but expects ", DTypeName(dtype));
      }
      context->SetOutput(static_cast<int>(i), std::move(outputs[i]));
    }
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  std::string token_;
};

REGISTER_KERNEL(Kernel("PyFunc").OnCpu(), PyFuncOp);
REGISTER_KERNEL(Kernel("PyFuncStateless").OnCpu(), PyFuncOp);

}  // namespace
}  // namespace tfbuild
