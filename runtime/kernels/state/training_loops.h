#pragma once

#include "kernels/framework/vector_target.h"
#include "kernels/state/training_rules.h"

namespace tfbuild {

// One step on `count` elements of a variable with none, one and two slots.
template <typename T, typename Rule>
struct ApplyLoop {
  using C = ComputeTypeOf<T>;

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(Rule rule, int64_t count, const T* grad, T* var) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      C x = static_cast<C>(var[i]);
      rule(static_cast<C>(grad[i]), &x);
      var[i] = T(x);
    }
  }

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(Rule rule, int64_t count, const T* grad, T* var, T* slot) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      C x = static_cast<C>(var[i]);
      C s = static_cast<C>(slot[i]);
      rule(static_cast<C>(grad[i]), &x, &s);
      slot[i] = T(s);
      var[i] = T(x);
    }
  }

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(Rule rule, int64_t count, const T* grad, T* var, T* slot1,
                                        T* slot2) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      C x = static_cast<C>(var[i]);
      C s = static_cast<C>(slot1[i]);
      C t = static_cast<C>(slot2[i]);
      rule(static_cast<C>(grad[i]), &x, &s, &t);
      slot1[i] = T(s);
      slot2[i] = T(t);
      var[i] = T(x);
    }
  }
};

// `slots` are pointers to the slots.
template <typename T, typename Rule, typename... Slots>
void ApplyRule(const Rule& rule, int64_t begin, int64_t end, const T* grad, T* var,
               Slots... slots) {
  RunVectorised<ApplyLoop<T, Rule>, T>(rule, end - begin, grad + begin, var + begin,
                                       (slots + begin)...);
}

}  // namespace tfbuild
