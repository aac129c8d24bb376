// Assign, AssignAdd, AssignSub and their forms for handles: a variable's new value.
#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/variable.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

constexpr int64_t kAssignGrain = 32768;  // elements that are worth a thread

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

#define TFBUILD_UPDATE_OP(op)                                                                    \
  REGISTER_OP(op)                                                                                \
      .Input("ref: Ref(T)")                                                                      \
      .Input("value: T")                                                                         \
      .Output("output_ref: Ref(T)")                                                              \
      .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, " \
            "half, uint16, uint32, uint64}")                                                     \
      .Attr("use_locking: bool = false")                                                         \
      .ShapeFunction(UpdateShape);
TFBUILD_UPDATE_OP("AssignAdd")
TFBUILD_UPDATE_OP("AssignSub")
#undef TFBUILD_UPDATE_OP

// The value fits the variable, where the graph says which that is.
Status AssignedFits(ShapeContext* context) {
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("dtype"));
  ASSIGN_OR_RETURN(const PartialShape shape, context->variable_shape(0, dtype));
  return shape.MergeWith(context->input(1)).status();
}

REGISTER_OP("AssignVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Attr("validate_shape: bool = false")
    .Stateful()
    .ShapeFunction(AssignedFits);
REGISTER_OP("AssignAddVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .ShapeFunction(AssignedFits);
REGISTER_OP("AssignSubVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .ShapeFunction(AssignedFits);

class AssignOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(validate_shape_, construction.Attr<bool>("validate_shape"));
    declared_ = construction.node.input(0).shape();  // the graph's may change while a step runs
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    Variable* variable = locked[0];
    const Tensor& value = context->input(1);
    if (validate_shape_) RETURN_IF_ERROR(CheckShape(*variable, value.shape()));
    // Shared, unless it is the user's: whoever writes to a variable in place copies what others see.
    ASSIGN_OR_RETURN(variable->value, value.Kept());
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

  bool validate_shape_ = true;
  PartialShape declared_;
};

// Makes the variable where there is none yet.
class AssignVariableOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(validate_shape_, construction.Attr<bool>("validate_shape"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t handle, HandleAt(*context, 0));
    const Tensor& value = context->input(1);
    ASSIGN_OR_RETURN(std::shared_ptr<Variable> found,
                     context->step()->resources.FindOrCreate<Variable>(handle));
    const LockedVariables locked({std::move(found)});
    Variable* variable = locked[0];
    if (variable->value.initialized()) RETURN_IF_ERROR(CheckFits(variable->value, value));
    ASSIGN_OR_RETURN(variable->value, value.Kept());
    variable->device = context->device();
    return OkStatus();
  }

 private:
  Status CheckFits(const Tensor& held, const Tensor& value) const {
    if (held.dtype() != value.dtype()) {
      return InvalidArgument("the variable holds ", DTypeName(held.dtype()), ", not ",
                             DTypeName(value.dtype()));
    }
    if (!validate_shape_ || held.shape() == value.shape()) return OkStatus();
    return InvalidArgument("the variable has shape ", held.shape(), ", the assigned value ",
                           value.shape());
  }
  bool validate_shape_ = false;
};

template <typename T, bool kSubtract>
class AssignUpdateOp final : public OpKernel {
  using Sum = functor::WrapOf<ComputeTypeOf<T>>;

 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    const Tensor& by_tensor = context->input(1);
    RETURN_IF_ERROR(CheckInputShape(*context, 1, values[0]->shape()));
    T* value = values[0]->mutable_data<T>();
    const T* by = by_tensor.data<T>();
    ParallelFor(by_tensor.num_elements(), kAssignGrain, [value, by](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Sum before = static_cast<Sum>(value[i]);
        const Sum change = static_cast<Sum>(by[i]);
        value[i] = static_cast<T>(kSubtract ? before - change : before + change);
      }
    });
    ForwardReference(context);
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Assign").OnCpu(), AssignOp);
REGISTER_KERNEL(Kernel("Assign").OnGpu(), AssignOp);
REGISTER_KERNEL(Kernel("AssignVariableOp").OnCpu(), AssignVariableOp);
REGISTER_KERNEL(Kernel("AssignVariableOp").OnGpu(), AssignVariableOp);

#define REGISTER(T)                                                                          \
  REGISTER_KERNEL(Kernel("AssignAdd").OnCpu().Type<T>("T"), AssignUpdateOp<T, false>);       \
  REGISTER_KERNEL(Kernel("AssignSub").OnCpu().Type<T>("T"), AssignUpdateOp<T, true>);        \
  REGISTER_KERNEL(Kernel("AssignAddVariableOp").OnCpu().Type<T>("dtype"),                    \
                  AssignUpdateOp<T, false>);                                                 \
  REGISTER_KERNEL(Kernel("AssignSubVariableOp").OnCpu().Type<T>("dtype"), AssignUpdateOp<T, true>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
