// Sum and Mean along axes.
#include "kernels/framework/reduce.h"
#include "kernels/framework/reduction.h"

namespace tfbuild {
namespace {

REGISTER_OP("Sum")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, "
          "complex128, half, uint16, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ReductionShape);

REGISTER_OP("Mean")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, "
          "complex128, half, uint16, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ReductionShape);

template <typename T>
struct SumOf {
  using Lane = LaneOf<T>;
  using Total = TotalOf<T>;
  static constexpr bool kTakesSquares = std::is_same_v<T, float>;
  static TFBUILD_ALWAYS_INLINE Lane Init() { return 0; }
  static TFBUILD_ALWAYS_INLINE Lane Combine(Lane a, Lane b) { return functor::Add::Apply(a, b); }
  static TFBUILD_ALWAYS_INLINE Total Merge(Total a, Total b) { return functor::Add::Apply(a, b); }
  static T Finish(Total total, int64_t) { return static_cast<T>(total); }
};

// Of nothing: NaN, or 0 for integers.
template <typename T>
struct MeanOf {
  using Total = TotalOf<T>;
  static T Finish(Total total, int64_t count) {
    if (std::is_integral<Total>::value && count == 0) return static_cast<T>(0);
    return static_cast<T>(total / static_cast<Total>(count));
  }
};

#define REGISTER(T)                                                              \
  REGISTER_KERNEL(Kernel("Sum").OnCpu().Type<T>("T"), ReduceKernel<SumOf, SignedOf<T>>); \
  REGISTER_KERNEL(Kernel("Mean").OnCpu().Type<T>("T"), ReduceKernel<SumOf, T, MeanOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
