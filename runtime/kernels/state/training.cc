// ApplyGradientDescent, ApplyMomentum, ApplyAdam, ApplyRMSProp, ApplyAdagrad and their forms for
// handles: one step of an optimiser on a variable and its slots.
#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/locked_variables.h"
#include "kernels/state/training_loops.h"
#include "kernels/state/training_rules.h"

namespace tfbuild {
namespace {

constexpr int64_t kGrain = 16384;  // elements that are worth a thread

// Variables and the gradient agree in shape, which is that of the output, where there is one; what
// remains is scalar.
Status ApplyShape(ShapeContext* context, int variables, int gradient) {
  PartialShape shape = context->input(gradient);
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("T"));
  const bool handles = context->num_outputs() == 0;
  for (int i = 0; i < context->num_inputs(); ++i) {
    if (i < variables) {
      PartialShape held = context->input(i);
      if (handles) {
        ASSIGN_OR_RETURN(held, context->variable_shape(i, dtype));
      }
      ASSIGN_OR_RETURN(shape, shape.MergeWith(held));
    } else if (i != gradient) {
      RETURN_IF_ERROR(context->WithRank(i, 0).status());
    }
  }
  if (!handles) context->set_output(0, std::move(shape));
  return OkStatus();
}

template <template <typename> class Optimizer>
Status ShapeFor(ShapeContext* context) {
  return ApplyShape(context, Optimizer<float>::kVariables, Optimizer<float>::kGradient);
}

// The definition of an optimiser's op, without its variables.
#define TFBUILD_TRAINING_OP(op, Optimizer)                                                             \
  REGISTER_OP(op)                                                                              \
      .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, " \
            "half}")                                                                           \
      .Attr("use_locking: bool = false")                                                       \
      .ShapeFunction(ShapeFor<Optimizer>)
TFBUILD_TRAINING_OP("ApplyGradientDescent", GradientDescent)
    .Input("var: Ref(T)")
    .Input("alpha: T")
    .Input("delta: T")
    .Output("out: Ref(T)");
TFBUILD_TRAINING_OP("ResourceApplyGradientDescent", GradientDescent)
    .Input("var: resource")
    .Input("alpha: T")
    .Input("delta: T")
    .Stateful();
TFBUILD_TRAINING_OP("ApplyMomentum", Momentum)
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("momentum: T")
    .Output("out: Ref(T)")
    .Attr("use_nesterov: bool = false");
TFBUILD_TRAINING_OP("ResourceApplyMomentum", Momentum)
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("momentum: T")
    .Stateful()
    .Attr("use_nesterov: bool = false");
TFBUILD_TRAINING_OP("ApplyAdam", Adam)
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("v: Ref(T)")
    .Input("beta1_power: T")
    .Input("beta2_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("use_nesterov: bool = false");
TFBUILD_TRAINING_OP("ResourceApplyAdam", Adam)
    .Input("var: resource")
    .Input("m: resource")
    .Input("v: resource")
    .Input("beta1_power: T")
    .Input("beta2_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Stateful()
    .Attr("use_nesterov: bool = false");
TFBUILD_TRAINING_OP("ApplyRMSProp", RmsProp)
    .Input("var: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)");
TFBUILD_TRAINING_OP("ResourceApplyRMSProp", RmsProp)
    .Input("var: resource")
    .Input("ms: resource")
    .Input("mom: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Stateful();
TFBUILD_TRAINING_OP("ApplyAdagrad", Adagrad)
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("update_slots: bool = true");
TFBUILD_TRAINING_OP("ResourceApplyAdagrad", Adagrad)
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Stateful()
    .Attr("update_slots: bool = true");
TFBUILD_TRAINING_OP("ResourceApplyKerasMomentum", KerasMomentum)
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("momentum: T")
    .Stateful()
    .Attr("use_nesterov: bool = false");
TFBUILD_TRAINING_OP("ResourceApplyAdagradV2", AdagradV2)
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Stateful()
    .Attr("update_slots: bool = true");
#undef TFBUILD_TRAINING_OP

template <typename T, typename Optimizer>
class ApplyOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if (Optimizer::kFlag != nullptr) {
      ASSIGN_OR_RETURN(flag_, construction.Attr<bool>(Optimizer::kFlag));
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    constexpr int kVariables = Optimizer::kVariables;
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, kVariables));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    RETURN_IF_ERROR(CheckTrainingInputs<Optimizer>(*context, values[0]->shape()));
    const auto rule = Optimizer::MakeRule(*context, flag_);
    const T* grad = context->input(Optimizer::kGradient).template data<T>();
    T* data[3] = {};
    for (size_t i = 0; i < values.size(); ++i) data[i] = values[i]->mutable_data<T>();
    ParallelFor(values[0]->num_elements(), kGrain, [&](int64_t begin, int64_t end) {
      if constexpr (kVariables == 1) ApplyRule(rule, begin, end, grad, data[0]);
      if constexpr (kVariables == 2) ApplyRule(rule, begin, end, grad, data[0], data[1]);
      if constexpr (kVariables == 3) ApplyRule(rule, begin, end, grad, data[0], data[1], data[2]);
    });
    ForwardReference(context);
    return OkStatus();
  }

 private:
  bool flag_ = false;
};

#define REGISTER_ONE(op, T, Optimizer) \
  REGISTER_KERNEL(Kernel(op).OnCpu().Type<T>("T"), ApplyOp<T, Optimizer<T>>);
#define REGISTER(T)                                                  \
  REGISTER_ONE("ApplyGradientDescent", T, GradientDescent)           \
  REGISTER_ONE("ApplyMomentum", T, Momentum)                         \
  REGISTER_ONE("ApplyAdam", T, Adam)                                 \
  REGISTER_ONE("ApplyRMSProp", T, RmsProp)                           \
  REGISTER_ONE("ApplyAdagrad", T, Adagrad)                           \
  REGISTER_ONE("ResourceApplyGradientDescent", T, GradientDescent)   \
  REGISTER_ONE("ResourceApplyMomentum", T, Momentum)                 \
  REGISTER_ONE("ResourceApplyKerasMomentum", T, KerasMomentum)       \
  REGISTER_ONE("ResourceApplyAdam", T, Adam)                         \
  REGISTER_ONE("ResourceApplyRMSProp", T, RmsProp)                   \
  REGISTER_ONE("ResourceApplyAdagrad", T, Adagrad)                   \
  REGISTER_ONE("ResourceApplyAdagradV2", T, AdagradV2)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
