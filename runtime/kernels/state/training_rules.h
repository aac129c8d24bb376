#pragma once

// The optimisers of the CPU and of GPUs: what their ops take, and how they change one element of a
// variable and of its slots, in the type C in which the arithmetic is done.

#include <cmath>

#include "kernels/framework/host_device.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/vector_target.h"

namespace tfbuild {

template <typename C>
TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE C SquareRoot(C value) { return std::sqrt(value); }

template <typename C>
struct GradientDescentRule {
  C alpha;
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE void operator()(C delta, C* var) const {
    *var -= alpha * delta;
  }
};

template <typename C>
struct MomentumRule {
  C lr;
  C momentum;
  bool use_nesterov;
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE void operator()(C grad, C* var, C* accum) const {
    *accum = *accum * momentum + grad;
    *var -= use_nesterov ? grad * lr + *accum * momentum * lr : *accum * lr;
  }
};

// The accumulator holds steps, not gradients.
template <typename C>
struct KerasMomentumRule {
  C lr;
  C momentum;
  bool use_nesterov;
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE void operator()(C grad, C* var, C* accum) const {
    *accum = *accum * momentum - grad * lr;
    *var += use_nesterov ? *accum * momentum - grad * lr : *accum;
  }
};

template <typename C>
struct AdamRule {
  C lr_t;  // lr corrected for the bias of the first steps
  C beta1;
  C beta2;
  C epsilon;
  bool use_nesterov;
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE void operator()(C grad, C* var, C* m, C* v) const {
    *m += (grad - *m) * (C(1) - beta1);
    *v += (grad * grad - *v) * (C(1) - beta2);
    const C direction = use_nesterov ? grad * (C(1) - beta1) + beta1 * *m : *m;
    *var -= direction * lr_t / (SquareRoot(*v) + epsilon);
  }
};

template <typename C>
struct RmsPropRule {
  C lr;
  C rho;
  C momentum;
  C epsilon;
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE void operator()(C grad, C* var, C* ms, C* mom) const {
    *ms += (grad * grad - *ms) * (C(1) - rho);
    *mom = *mom * momentum + grad * lr / SquareRoot(*ms + epsilon);
    *var -= *mom;
  }
};

template <typename C>
struct AdagradV2Rule {
  C lr;
  C epsilon;
  bool update_slots;
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE void operator()(C grad, C* var, C* accum) const {
    if (update_slots) *accum += grad * grad;
    *var -= grad * lr / (SquareRoot(*accum) + epsilon);
  }
};

template <typename C>
struct AdagradRule {
  C lr;
  bool update_slots;
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE void operator()(C grad, C* var, C* accum) const {
    if (update_slots) *accum += grad * grad;
    *var -= grad * lr / SquareRoot(*accum);
  }
};

// Which inputs an optimiser's op has: its first kVariables are variables, kGradient is the
// gradient, the others are scalars, which lie on the host. MakeRule reads them; `flag` is the op's
// attribute kFlag, if it has one.

template <typename T>
ComputeTypeOf<T> ScalarInput(const OpKernelContext& context, int i) {
  return static_cast<ComputeTypeOf<T>>(*context.input(i).template data<T>());
}

template <typename T>
struct GradientDescent {
  using C = ComputeTypeOf<T>;
  static constexpr int kVariables = 1;
  static constexpr int kGradient = 2;
  static constexpr const char* kFlag = nullptr;
  static GradientDescentRule<C> MakeRule(const OpKernelContext& context, bool) {
    return {ScalarInput<T>(context, 1)};
  }
};

template <typename T>
struct Momentum {
  using C = ComputeTypeOf<T>;
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 3;
  static constexpr const char* kFlag = "use_nesterov";
  static MomentumRule<C> MakeRule(const OpKernelContext& context, bool flag) {
    return {ScalarInput<T>(context, 2), ScalarInput<T>(context, 4), flag};
  }
};

template <typename T>
struct KerasMomentum : Momentum<T> {
  using C = ComputeTypeOf<T>;
  static KerasMomentumRule<C> MakeRule(const OpKernelContext& context, bool flag) {
    return {ScalarInput<T>(context, 2), ScalarInput<T>(context, 4), flag};
  }
};

template <typename T>
struct Adam {
  using C = ComputeTypeOf<T>;
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 9;
  static constexpr const char* kFlag = "use_nesterov";
  static AdamRule<C> MakeRule(const OpKernelContext& context, bool flag) {
    const C beta1_power = ScalarInput<T>(context, 3);
    const C beta2_power = ScalarInput<T>(context, 4);
    const C lr = ScalarInput<T>(context, 5);
    const C lr_t = lr * std::sqrt(C(1) - beta2_power) / (C(1) - beta1_power);
    return {lr_t, ScalarInput<T>(context, 6), ScalarInput<T>(context, 7),
            ScalarInput<T>(context, 8), flag};
  }
};

template <typename T>
struct RmsProp {
  using C = ComputeTypeOf<T>;
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 7;
  static constexpr const char* kFlag = nullptr;
  static RmsPropRule<C> MakeRule(const OpKernelContext& context, bool) {
    return {ScalarInput<T>(context, 3), ScalarInput<T>(context, 4), ScalarInput<T>(context, 5),
            ScalarInput<T>(context, 6)};
  }
};

template <typename T>
struct Adagrad {
  using C = ComputeTypeOf<T>;
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 3;
  static constexpr const char* kFlag = "update_slots";
  static AdagradRule<C> MakeRule(const OpKernelContext& context, bool flag) {
    return {ScalarInput<T>(context, 2), flag};
  }
};

template <typename T>
struct AdagradV2 {
  using C = ComputeTypeOf<T>;
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 4;
  static constexpr const char* kFlag = "update_slots";
  static AdagradV2Rule<C> MakeRule(const OpKernelContext& context, bool flag) {
    return {ScalarInput<T>(context, 2), ScalarInput<T>(context, 3), flag};
  }
};

// Checks that the scalars are scalars and that the gradient has the variables' shape.
template <typename Optimizer>
Status CheckTrainingInputs(const OpKernelContext& context, const Shape& shape) {
  for (int i = Optimizer::kVariables; i < context.num_inputs(); ++i) {
    RETURN_IF_ERROR(i == Optimizer::kGradient ? CheckInputShape(context, i, shape)
                                              : CheckScalarInput(context, i));
  }
  return OkStatus();
}

}  // namespace tfbuild
