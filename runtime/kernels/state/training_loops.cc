#include "kernels/state/training_loops.h"

#include <type_traits>

#include "kernels/framework/vector_target.h"
#include "kernels/state/training_rules.h"

namespace tfbuild {
namespace {

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

}  // namespace

template <typename T, typename Rule>
void ApplyRule(const Rule& rule, int64_t count, const T* grad, T* const* data) {
  using C = ComputeTypeOf<T>;
  using Loop = ApplyLoop<T, Rule>;
  if constexpr (std::is_invocable_v<Rule, C, C*>) {
    RunVectorised<Loop, T>(rule, count, grad, data[0]);
  } else if constexpr (std::is_invocable_v<Rule, C, C*, C*>) {
    RunVectorised<Loop, T>(rule, count, grad, data[0], data[1]);
  } else {
    RunVectorised<Loop, T>(rule, count, grad, data[0], data[1], data[2]);
  }
}

#define COMPILE_RULE(T, Rule) \
  template void ApplyRule(const Rule<ComputeTypeOf<T>>&, int64_t, const T*, T* const*);
#define COMPILE(T)                     \
  COMPILE_RULE(T, GradientDescentRule) \
  COMPILE_RULE(T, MomentumRule)        \
  COMPILE_RULE(T, KerasMomentumRule)   \
  COMPILE_RULE(T, AdamRule)            \
  COMPILE_RULE(T, RmsPropRule)         \
  COMPILE_RULE(T, AdagradRule)         \
  COMPILE_RULE(T, AdagradV2Rule)
TFBUILD_FLOATING_TYPES(COMPILE)
#undef COMPILE
#undef COMPILE_RULE

}  // namespace tfbuild
