// LowerBound and UpperBound: where values belong in sorted rows.
#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

constexpr int64_t kSearchSortedGrain = 2048;  // searches that are worth a thread

Status SearchShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape sorted, context->WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape values, context->WithRank(1, 2));
  RETURN_IF_ERROR(PartialShape{sorted.dim(0)}.MergeWith(PartialShape{values.dim(0)}).status());
  context->set_output(0, values);
  return OkStatus();
}

REGISTER_OP("LowerBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .ShapeFunction(SearchShape);
REGISTER_OP("UpperBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .ShapeFunction(SearchShape);

template <typename T, typename Out, bool kUpper>
class SearchOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor &sorted = context->input(0), &values = context->input(1);
    if (sorted.rank() != 2) return InvalidArgument("sorted input argument must be a matrix");
    if (values.rank() != 2) return InvalidArgument("values argument must be a matrix");
    if (sorted.dim(0) != values.dim(0)) {
      return InvalidArgument("Leading dim_size of both tensors must match.");
    }
    if (sorted.num_elements() >= std::numeric_limits<Out>::max()) {
      return InvalidArgument("values tensor size must less than the largest number of out_type");
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, values.shape()));
    const int64_t width = sorted.dim(1), wanted = values.dim(1);
    const T *rows = sorted.data<T>(), *points = values.data<T>();
    Out* out = output->mutable_data<Out>();
    ParallelFor(values.num_elements(), kSearchSortedGrain, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* row = rows + i / wanted * width;
        const T* found = kUpper ? std::upper_bound(row, row + width, points[i])
                                : std::lower_bound(row, row + width, points[i]);
        out[i] = static_cast<Out>(found - row);
      }
    });
    return OkStatus();
  }
};

#define REGISTER_ONE(T, Out)                                                               \
  REGISTER_KERNEL(Kernel("LowerBound").OnCpu().Type<T>("T").Type<Out>("out_type"),         \
                  SearchOp<T, Out, false>);                                                \
  REGISTER_KERNEL(Kernel("UpperBound").OnCpu().Type<T>("T").Type<Out>("out_type"),         \
                  SearchOp<T, Out, true>);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
