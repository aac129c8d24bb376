// Switch, Merge, Enter, Exit, NextIteration, LoopCond and ControlTrigger, and the forms of the first
// five that hand on references. The runner with frames does what moves values between branches,
// iterations and frames; the kernels here pass on what they get.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/variable.h"

namespace tfbuild {
namespace {

Status SwitchShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  context->set_output(0, context->input(0));
  context->set_output(1, context->input(0));
  return OkStatus();
}

// What goes round a loop may change its shape: what holds in all iterations is noted.
Result<PartialShape> Invariant(const ShapeContext& context) {
  return context.Attr<PartialShape>("_shape_invariant");
}

// What all inputs agree in. An edge that closes a loop is not there yet; when it comes, it must not
// contradict.
Status MergeShape(ShapeContext* context) {
  PartialShape merged = context->num_inputs() > 0 ? context->input(0) : PartialShape();
  for (int i = 1; i < context->num_inputs(); ++i) {
    const PartialShape& other = context->input(i);
    if (!merged.known_rank() || merged.rank() != other.rank()) {
      merged = PartialShape();
      break;
    }
    std::vector<int64_t> dims = merged.dims();
    for (int k = 0; k < merged.rank(); ++k) {
      if (other.dim(k) != dims[static_cast<size_t>(k)]) dims[static_cast<size_t>(k)] = kUnknownDim;
    }
    merged = PartialShape(std::move(dims));
  }
  const Result<PartialShape> invariant = Invariant(*context);
  context->set_output(0, invariant.ok() ? *invariant : std::move(merged));
  context->set_output(1, PartialShape(std::vector<int64_t>{}));
  return OkStatus();
}

Status EnterShape(ShapeContext* context) {
  const Result<PartialShape> invariant = Invariant(*context);
  context->set_output(0, invariant.ok() ? *invariant : context->input(0));
  return OkStatus();
}

Status LoopCondShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->WithRank(0, 0));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("Switch")
    .Input("data: T")
    .Input("pred: bool")
    .Output("output_false: T")
    .Output("output_true: T")
    .Attr("T: type")
    .ShapeFunction(SwitchShape);
REGISTER_OP("RefSwitch")
    .Input("data: Ref(T)")
    .Input("pred: bool")
    .Output("output_false: Ref(T)")
    .Output("output_true: Ref(T)")
    .Attr("T: type")
    .ShapeFunction(SwitchShape);
REGISTER_OP("Merge")
    .Input("inputs: N * T")
    .Output("output: T")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .ShapeFunction(MergeShape);
REGISTER_OP("RefMerge")
    .Input("inputs: Ref(N * T)")
    .Output("output: Ref(T)")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .ShapeFunction(MergeShape);
REGISTER_OP("Enter")
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("frame_name: string")
    .Attr("is_constant: bool = false")
    .Attr("parallel_iterations: int = 10")
    .ShapeFunction(EnterShape);
REGISTER_OP("RefEnter")
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Attr("frame_name: string")
    .Attr("is_constant: bool = false")
    .Attr("parallel_iterations: int = 10")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("Exit").Input("data: T").Output("output: T").Attr("T: type")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("RefExit").Input("data: Ref(T)").Output("output: Ref(T)").Attr("T: type")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("NextIteration").Input("data: T").Output("output: T").Attr("T: type")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("RefNextIteration").Input("data: Ref(T)").Output("output: Ref(T)").Attr("T: type")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("LoopCond").Input("input: bool").Output("output: bool").ShapeFunction(LoopCondShape);
REGISTER_OP("ControlTrigger").ShapeFunction(NoOutputs);

void Pass(OpKernelContext* context, int input, int output) {
  if (context->input_variable(input) != nullptr) {
    context->SetOutputVariable(output, context->input_variable(input));
  } else {
    context->SetOutput(output, context->input(input));
  }
}

class SwitchOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& predicate = context->input(1);
    if (predicate.num_elements() != 1) {
      return InvalidArgument("the predicate must be a scalar, but its shape is ",
                             predicate.shape());
    }
    Pass(context, 0, *predicate.data<bool>() ? 1 : 0);
    return OkStatus();
  }
};

class MergeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      if (context->input_is_dead(i)) continue;
      Pass(context, i, 0);
      context->SetOutput(1, Tensor::Scalar<int32_t>(i));
      return OkStatus();
    }
    return OkStatus();
  }
};

class PassOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    Pass(context, 0, 0);
    return OkStatus();
  }
};

class TriggerOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext*) override { return OkStatus(); }
};

REGISTER_KERNEL(Kernel("Switch").OnCpu(), SwitchOp);
REGISTER_KERNEL(Kernel("Switch").OnGpu().HostMemory("pred"), SwitchOp);
REGISTER_KERNEL(Kernel("RefSwitch").OnCpu(), SwitchOp);
REGISTER_KERNEL(Kernel("RefSwitch").OnGpu().HostMemory("pred"), SwitchOp);
REGISTER_KERNEL(Kernel("Merge").OnCpu(), MergeOp);
REGISTER_KERNEL(Kernel("Merge").OnGpu().HostMemory("value_index"), MergeOp);
REGISTER_KERNEL(Kernel("RefMerge").OnCpu(), MergeOp);
REGISTER_KERNEL(Kernel("RefMerge").OnGpu().HostMemory("value_index"), MergeOp);
REGISTER_KERNEL(Kernel("LoopCond").OnCpu(), PassOp);
REGISTER_KERNEL(Kernel("LoopCond").OnGpu().HostMemory("input").HostMemory("output"), PassOp);
REGISTER_KERNEL(Kernel("ControlTrigger").OnCpu(), TriggerOp);
REGISTER_KERNEL(Kernel("ControlTrigger").OnGpu(), TriggerOp);

#define REGISTER(name)                            \
  REGISTER_KERNEL(Kernel(name).OnCpu(), PassOp);  \
  REGISTER_KERNEL(Kernel(name).OnGpu(), PassOp);
REGISTER("Enter")
REGISTER("RefEnter")
REGISTER("Exit")
REGISTER("RefExit")
REGISTER("NextIteration")
REGISTER("RefNextIteration")
#undef REGISTER

}  // namespace
}  // namespace tfbuild
