// Prod: the product along axes.
#include "kernels/framework/reduce.h"
#include "kernels/framework/reduction.h"

namespace tfbuild {
namespace {

REGISTER_OP("Prod")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, "
          "complex128, half, uint16, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ReductionShape);

template <typename T>
struct ProductOf {
  using Lane = LaneOf<T>;
  using Total = TotalOf<T>;
  static TFBUILD_ALWAYS_INLINE Lane Init() { return 1; }
  static TFBUILD_ALWAYS_INLINE Lane Combine(Lane a, Lane b) { return functor::Mul::Apply(a, b); }
  static TFBUILD_ALWAYS_INLINE Total Merge(Total a, Total b) { return functor::Mul::Apply(a, b); }
  static T Finish(Total total, int64_t) { return static_cast<T>(total); }
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("Prod").OnCpu().Type<T>("T"), ReduceKernel<ProductOf, SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
