// Assign, AssignAdd and AssignSub: a variable's new value.
#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/ref_inputs.h"

namespace tfbuild {
namespace {

constexpr int64_t kGrain = 32768;  // elements that are worth a thread

Status AssignShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const bool validate, context->Attr<bool>("validate_shape"));
  if (!validate) {
    context->set_output(0, context->input(1));
    return OkStatus();
  }
  ASSIGN_OR_RETURN(PartialShape shape, context->input(0).MergeWith(context->input(1)));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status UpdateShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input(0).MergeWith(context->input(1)));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("Assign")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("validate_shape: bool = true")
    .Attr("use_locking: bool = true")
    .ShapeFunction(AssignShape);

REGISTER_OP("AssignAdd")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .Attr("use_locking: bool = false")
    .ShapeFunction(UpdateShape);

REGISTER_OP("AssignSub")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .Attr("use_locking: bool = false")
    .ShapeFunction(UpdateShape);

class AssignOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(validate_shape_, construction.Attr<bool>("validate_shape"));
    declared_ = construction.node.input(0).shape();  // the graph's may change while a step runs
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables lock, LockedVariables::Lock(context, 1));
    Variable* variable = context->input_variable(0);
    const Tensor& value = context->input(1);
    if (validate_shape_) RETURN_IF_ERROR(CheckShape(*variable, value.shape()));
    ASSIGN_OR_RETURN(variable->value, Kept(context, value));
    variable->device = context->device();
    context->SetOutputVariable(0, variable);
    return OkStatus();
  }

 private:
  Status CheckShape(const Variable& variable, const Shape& shape) const {
    const PartialShape expected =
        variable.value.initialized() ? PartialShape(variable.value.shape()) : declared_;
    if (expected.CompatibleWith(PartialShape(shape))) return OkStatus();
    return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= ",
                           expected, " rhs shape= ", shape);
  }

  // The value for the variable to hold. Sharing is safe, since whoever writes to a variable in
  // place copies what others see; only memory that is not ours (a fed array) may change later.
  static Result<Tensor> Kept(OpKernelContext* context, const Tensor& value) {
    if (value.dtype() == DType::kString || value.buffer()->owned()) return value;
    ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(context->device()->allocator(), value.dtype(),
                                                   value.shape()));
    RETURN_IF_ERROR(context->device()->CopyWithin(value, &copy));
    return copy;
  }

  bool validate_shape_ = true;
  PartialShape declared_;
};

template <typename T, bool kSubtract>
class AssignUpdateOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables lock, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values, MutableValues(context, 1));
    const Tensor& change = context->input(1);
    RETURN_IF_ERROR(CheckInputShape(*context, 1, values[0]->shape()));
    T* value = values[0]->mutable_data<T>();
    const T* by = change.data<T>();
    ParallelFor(change.num_elements(), kGrain, [value, by](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        value[i] = kSubtract ? T(value[i] - by[i]) : T(value[i] + by[i]);
      }
    });
    context->SetOutputVariable(0, context->input_variable(0));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Assign").OnCpu(), AssignOp);
REGISTER_KERNEL(Kernel("Assign").OnGpu(), AssignOp);

#define REGISTER(T)                                                                       \
  REGISTER_KERNEL(Kernel("AssignAdd").OnCpu().Type<T>("T"), AssignUpdateOp<T, false>);    \
  REGISTER_KERNEL(Kernel("AssignSub").OnCpu().Type<T>("T"), AssignUpdateOp<T, true>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
