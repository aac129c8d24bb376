#pragma once

// The rules of training_rules.h, made where their scalars are: powers and learning rates may be
// variables on the GPU, and fetching them would stop the stream at each step.

#include "kernels/framework/cuda_launch.cuh"
#include "kernels/state/training_rules.h"

namespace tfbuild {

constexpr int kMaxScalars = 6;

// The scalar inputs, in order.
template <typename T>
struct Scalars {
  const T* at[kMaxScalars] = {};
  bool flag;
  __device__ ComputeTypeOf<T> operator[](int i) const { return Widen(*at[i]); }
};

// The variable and its slots.
template <typename T>
struct Values {
  T* at[3] = {};
};

template <typename T>
__device__ auto MakeRule(GradientDescent<T>, const Scalars<T>& s) {
  return GradientDescentRule<ComputeTypeOf<T>>{s[0]};
}
template <typename T>
__device__ auto MakeRule(Momentum<T>, const Scalars<T>& s) {
  return MomentumRule<ComputeTypeOf<T>>{s[0], s[1], s.flag};
}
template <typename T>
__device__ auto MakeRule(KerasMomentum<T>, const Scalars<T>& s) {
  return KerasMomentumRule<ComputeTypeOf<T>>{s[0], s[1], s.flag};
}
template <typename T>
__device__ auto MakeRule(Adam<T>, const Scalars<T>& s) {
  using C = ComputeTypeOf<T>;
  const C lr_t = s[2] * SquareRoot(C(1) - s[1]) / (C(1) - s[0]);
  return AdamRule<C>{lr_t, s[3], s[4], s[5], s.flag};
}
template <typename T>
__device__ auto MakeRule(RmsProp<T>, const Scalars<T>& s) {
  return RmsPropRule<ComputeTypeOf<T>>{s[0], s[1], s[2], s[3]};
}
template <typename T>
__device__ auto MakeRule(Adagrad<T>, const Scalars<T>& s) {
  return AdagradRule<ComputeTypeOf<T>>{s[0], s.flag};
}

template <typename T>
__device__ auto MakeRule(AdagradV2<T>, const Scalars<T>& s) {
  return AdagradV2Rule<ComputeTypeOf<T>>{s[0], s[1], s.flag};
}

}  // namespace tfbuild
