// ApplyGradientDescent, ApplyMomentum, ApplyAdam, ApplyRMSProp, ApplyAdagrad and their forms for
// handles: one step of an optimiser on a variable and its slots.
#include "base/parallel.h"
#include "kernels/state/optimizer_op.h"
#include "kernels/state/training_loops.h"

namespace tfbuild {
namespace {

constexpr int64_t kTrainingGrain = 16384;  // elements that are worth a thread

template <template <typename> class Optimizer>
Status ShapeFor(ShapeContext* context) {
  return OptimizerShape(context, InputsOf<Optimizer<float>>(false));
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
class ApplyOp final : public OptimizerOp {
 public:
  ApplyOp() : OptimizerOp(InputsOf<Optimizer>(false)) {}

 private:
  void Apply(const OpKernelContext& context, const std::vector<Tensor*>& values,
             const std::vector<int64_t>&) const override {
    const auto rule = Optimizer::MakeRule(context, flag());
    const T* grad = Gradient(context).template data<T>();
    ParallelFor(values[0]->num_elements(), kTrainingGrain, [&](int64_t begin, int64_t end) {
      T* data[3] = {};
      for (size_t i = 0; i < values.size(); ++i) data[i] = values[i]->mutable_data<T>() + begin;
      ApplyRule(rule, end - begin, grad + begin, data);
    });
  }
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
