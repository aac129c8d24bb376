// All and Any: logical reductions along axes.
#include "kernels/framework/reduce.h"
#include "kernels/framework/reduction.h"

namespace tfbuild {
namespace {

REGISTER_OP("All")
    .Input("input: bool")
    .Input("reduction_indices: Tidx")
    .Output("output: bool")
    .Attr("keep_dims: bool = false")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ReductionShape);

REGISTER_OP("Any")
    .Input("input: bool")
    .Input("reduction_indices: Tidx")
    .Output("output: bool")
    .Attr("keep_dims: bool = false")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ReductionShape);

template <typename T>
struct AllOf {
  using Lane = T;
  using Total = T;
  static T Init() { return true; }
  static TFBUILD_ALWAYS_INLINE Lane Combine(Lane a, Lane b) { return a & b; }
  static T Merge(T a, T b) { return a & b; }
  static T Finish(T total, int64_t) { return total; }
};

template <typename T>
struct AnyOf {
  using Lane = T;
  using Total = T;
  static T Init() { return false; }
  static TFBUILD_ALWAYS_INLINE Lane Combine(Lane a, Lane b) { return a | b; }
  static T Merge(T a, T b) { return a | b; }
  static T Finish(T total, int64_t) { return total; }
};

REGISTER_KERNEL(Kernel("All").OnCpu(), ReduceKernel<AllOf, bool>);
REGISTER_KERNEL(Kernel("Any").OnCpu(), ReduceKernel<AnyOf, bool>);

}  // namespace
}  // namespace tfbuild
