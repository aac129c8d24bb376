// Max and Min along axes; a NaN among the elements gives NaN.
#include "kernels/framework/reduce.h"
#include "kernels/framework/reduction.h"

namespace tfbuild {
namespace {

REGISTER_OP("Max")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ReductionShape);

REGISTER_OP("Min")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ReductionShape);

// The smallest (largest) value of C: an infinity where there is one.
template <typename C>
constexpr C Lowest() {
  using Limits = std::numeric_limits<C>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}
template <typename C>
constexpr C Highest() {
  using Limits = std::numeric_limits<C>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

// `best`, unless x is NaN. Asked of x alone and answered by a constant, it is not mixed with the
// comparison before: that stays the one instruction that processors have for it.
template <typename C>
TFBUILD_ALWAYS_INLINE C UnlessNaN(C x, C best) {
  return x != x ? std::numeric_limits<C>::quiet_NaN() : best;
}

template <typename T>
struct MaxOf {
  using Lane = ComputeTypeOf<T>;
  using Total = Lane;
  static TFBUILD_ALWAYS_INLINE Lane Init() { return Lowest<Lane>(); }
  static TFBUILD_ALWAYS_INLINE Lane Combine(Lane a, Lane b) {
    const Lane best = b > a ? b : a;  // a, if that is NaN
    return UnlessNaN(b, best);
  }
  static TFBUILD_ALWAYS_INLINE Total Merge(Total a, Total b) { return Combine(a, b); }
  static T Finish(Total total, int64_t) { return static_cast<T>(total); }
};

template <typename T>
struct MinOf {
  using Lane = ComputeTypeOf<T>;
  using Total = Lane;
  static TFBUILD_ALWAYS_INLINE Lane Init() { return Highest<Lane>(); }
  static TFBUILD_ALWAYS_INLINE Lane Combine(Lane a, Lane b) {
    const Lane best = b < a ? b : a;  // a, if that is NaN
    return UnlessNaN(b, best);
  }
  static TFBUILD_ALWAYS_INLINE Total Merge(Total a, Total b) { return Combine(a, b); }
  static T Finish(Total total, int64_t) { return static_cast<T>(total); }
};

#define REGISTER(T)                                                            \
  REGISTER_KERNEL(Kernel("Max").OnCpu().Type<T>("T"), ReduceKernel<MaxOf, T>); \
  REGISTER_KERNEL(Kernel("Min").OnCpu().Type<T>("T"), ReduceKernel<MinOf, T>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
