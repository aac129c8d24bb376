// Stacks: where the gradients that TensorFlow writes for loops of version 1 keep what each iteration
// has computed.
#include "kernels/control/tensor_array.h"

namespace tfbuild {
namespace {

Status HandleShape(ShapeContext* context) {
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
    .ShapeFunction(HandleShape);
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

// Thread-safe.
class Stack final : public StepResource {
 public:
  Stack(DType dtype, int64_t limit) : dtype_(dtype), limit_(limit) {}

  Status Push(const Tensor& value) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (value.dtype() != dtype_) {
      return InvalidArgument("Must have type ", DTypeName(dtype_), " but got ",
                             DTypeName(value.dtype()));
    }
    if (limit_ >= 0 && static_cast<int64_t>(values_.size()) >= limit_) {
      return InvalidArgument("Stack overflowed its max_size (", limit_, ")");
    }
    values_.push_back(value);
    return OkStatus();
  }

  Result<Tensor> Pop(DType dtype) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (dtype != dtype_) {
      return InvalidArgument("the stack holds ", DTypeName(dtype_), ", not ", DTypeName(dtype));
    }
    if (values_.empty()) return InvalidArgument("Stack is empty when calling Pop()");
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }

 private:
  const DType dtype_;
  const int64_t limit_;
  std::mutex mutex_;
  std::vector<Tensor> values_;
};

Result<std::shared_ptr<Stack>> StackOf(const OpKernelContext& context) {
  ASSIGN_OR_RETURN(const int64_t handle, HandleOf(context));
  return context.step()->Find<Stack>(handle);
}

class StackOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const DType dtype, context->node().Attr<DType>("elem_type"));
    ASSIGN_OR_RETURN(const int64_t limit, IntFrom(context->input(0), "max_size"));
    if (context->step() == nullptr) return FailedPrecondition("only a step has stacks");
    ASSIGN_OR_RETURN(Tensor * handle, context->AllocateOutput(0, Shape{2}));
    int64_t* numbers = static_cast<int64_t*>(handle->raw());
    numbers[0] = context->step()->Keep(std::make_shared<Stack>(dtype, limit));
    numbers[1] = context->step()->id;
    return OkStatus();
  }
};

class PushOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto stack, StackOf(*context));
    RETURN_IF_ERROR(stack->Push(context->input(1)));
    context->SetOutput(0, context->input(1));
    return OkStatus();
  }
};

class PopOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto stack, StackOf(*context));
    ASSIGN_OR_RETURN(Tensor value, stack->Pop(context->node().output(0).dtype));
    context->SetOutput(0, std::move(value));
    return OkStatus();
  }
};

class CloseOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t handle, HandleOf(*context));
    context->step()->Drop(handle);
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("StackV2").OnCpu(), StackOp);
REGISTER_KERNEL(Kernel("StackPushV2").OnCpu(), PushOp);
REGISTER_KERNEL(Kernel("StackPopV2").OnCpu(), PopOp);
REGISTER_KERNEL(Kernel("StackCloseV2").OnCpu(), CloseOp);

}  // namespace
}  // namespace tfbuild
