// Softmax and LogSoftmax over the last dimension.
#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/softmax_rows.h"

namespace tfbuild {
namespace {

Status SoftmaxShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  return UnchangedShape(context);
}

REGISTER_OP("Softmax")
    .Input("logits: T")
    .Output("softmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(SoftmaxShape);

REGISTER_OP("LogSoftmax")
    .Input("logits: T")
    .Output("logsoftmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(SoftmaxShape);

template <typename T, bool kLog>
class SoftmaxOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& logits = context->input(0);
    if (logits.rank() == 0) return InvalidArgument("logits must have at least rank 1");
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, logits.shape()));
    const int64_t count = logits.num_elements();
    if (count == 0) return OkStatus();
    const int64_t n = logits.dim(logits.rank() - 1);
    if constexpr (std::is_same_v<T, C>) {
      SoftmaxRows(logits.data<T>(), count / n, n, kLog, output->mutable_data<T>());
    } else {
      ASSIGN_OR_RETURN(Tensor wide, context->AllocateTemp(DTypeOf<C>::value, logits.shape()));
      ConvertElements(logits.data<T>(), count, wide.mutable_data<C>());
      SoftmaxRows(wide.data<C>(), count / n, n, kLog, wide.mutable_data<C>());
      ConvertElements(wide.data<C>(), count, output->mutable_data<T>());
    }
    return OkStatus();
  }
};

#define REGISTER(T)                                                             \
  REGISTER_KERNEL(Kernel("Softmax").OnCpu().Type<T>("T"), SoftmaxOp<T, false>); \
  REGISTER_KERNEL(Kernel("LogSoftmax").OnCpu().Type<T>("T"), SoftmaxOp<T, true>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
