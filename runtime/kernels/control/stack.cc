// Stacks: tensors that a loop pushes in each iteration and that its gradient pops, the last first.
// They live as long as a step.
#include "graph/shape_context.h"
#include "kernels/framework/resource_inputs.h"

namespace tfbuild {
namespace {

Status StackShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 0).status());
  context->set_output(0, PartialShape({2}));
  return OkStatus();
}

Status PushShape(ShapeContext* context) {
  context->set_output(0, context->input(1));
  return OkStatus();
}

REGISTER_OP("StackV2")
    .Input("max_size: int32")
    .Output("handle: resource")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .Stateful()
    .ShapeFunction(StackShape);
REGISTER_OP("StackPushV2")
    .Input("handle: resource")
    .Input("elem: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("swap_memory: bool = false")
    .Stateful()
    .ShapeFunction(PushShape);
REGISTER_OP("StackPopV2")
    .Input("handle: resource")
    .Output("elem: elem_type")
    .Attr("elem_type: type")
    .Stateful()
    .ShapeFunction(UnknownShape);
REGISTER_OP("StackCloseV2").Input("handle: resource").Stateful().ShapeFunction(NoOutputs);

class Stack final : public Resource {
 public:
  static constexpr char kKind[] = "stack";
  Stack(DType dtype, int64_t limit) : dtype_(dtype), limit_(limit) {}

  Status Push(const Tensor& value) {
    if (value.dtype() != dtype_) {
      return InvalidArgument("the stack holds ", DTypeName(dtype_), ", not ",
                             DTypeName(value.dtype()));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (limit_ >= 0 && static_cast<int64_t>(values_.size()) >= limit_) {
      return InvalidArgument("the stack is full: it takes ", limit_, " elements");
    }
    values_.push_back(value);
    return OkStatus();
  }
  Result<Tensor> Pop(DType dtype) {
    if (dtype != dtype_) {
      return InvalidArgument("the stack holds ", DTypeName(dtype_), ", not ", DTypeName(dtype));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (values_.empty()) return InvalidArgument("the stack is empty");
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }

 private:
  const DType dtype_;
  const int64_t limit_;  // negative: none
  std::mutex mutex_;
  std::vector<Tensor> values_;
};

class NewStackOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(dtype_, construction.Attr<DType>("elem_type"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& limit = context->input(0);
    if (limit.rank() != 0) {
      return InvalidArgument("max_size must be a scalar, but its shape is ", limit.shape());
    }
    if (context->step() == nullptr) return FailedPrecondition("only a step has stacks");
    auto stack = std::make_shared<Stack>(dtype_, *limit.data<int32_t>());
    context->SetOutput(0, HandleTensor(context->step()->resources.Add(std::move(stack))));
    return OkStatus();
  }

 private:
  DType dtype_ = DType::kInvalid;
};

class StackPushOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack, ResourceAt<Stack>(*context, 0));
    RETURN_IF_ERROR(stack->Push(context->input(1)));
    context->SetOutput(0, context->input(1));
    return OkStatus();
  }
};

class StackPopOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack, ResourceAt<Stack>(*context, 0));
    ASSIGN_OR_RETURN(Tensor value, stack->Pop(context->node().output(0).dtype));
    context->SetOutput(0, std::move(value));
    return OkStatus();
  }
};

class StackCloseOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(ResourceAt<Stack>(*context, 0).status());
    ASSIGN_OR_RETURN(const int64_t handle, HandleAt(*context, 0));
    return context->step()->resources.Remove(handle);
  }
};

// On a GPU what is pushed stays in its memory.
#define REGISTER(op, Op)                   \
  REGISTER_KERNEL(Kernel(op).OnCpu(), Op); \
  REGISTER_KERNEL(Kernel(op).OnGpu().HostMemory("handle").HostMemory("max_size"), Op);
REGISTER("StackV2", NewStackOp)
REGISTER("StackPushV2", StackPushOp)
REGISTER("StackPopV2", StackPopOp)
REGISTER("StackCloseV2", StackCloseOp)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
