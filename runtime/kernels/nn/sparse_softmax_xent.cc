// SparseSoftmaxCrossEntropyWithLogits: the loss against one class for each row, and its gradient.
#include <cmath>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/softmax_rows.h"
#include "kernels/nn/xent_sizes.h"

namespace tfbuild {
namespace {

constexpr int64_t kSparseSoftmaxXentGrain = 32768;  // exponentials that are worth a thread

Status SparseXentShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape features, context->WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape labels, context->WithRank(1, 1));
  ASSIGN_OR_RETURN(const PartialShape rows, PartialShape{features.dim(0)}.MergeWith(labels));
  context->set_output(0, rows);
  context->set_output(1, {rows.dim(0), features.dim(1)});
  return OkStatus();
}

REGISTER_OP("SparseSoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: Tlabels")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("Tlabels: {int32, int64} = DT_INT64")
    .ShapeFunction(SparseXentShape);

template <typename Label>
Status CheckLabels(const Tensor& labels, int64_t classes) {
  const Label* label = labels.data<Label>();
  for (int64_t i = 0; i < labels.num_elements(); ++i) {
    if (label[i] >= 0 && label[i] < classes) continue;
    return InvalidArgument("Received a label value of ", label[i],
                           " which is outside the valid range of [0, ", classes, ") in row ", i);
  }
  return OkStatus();
}

// loss[r] = log(sum(exp(x))) - x[label], gradient = softmax(x) - 1 at the label. `gradient` may be
// `x`.
template <typename C, typename Label, typename T>
void XentRows(const C* x, const Label* labels, const XentSizes& sizes, T* loss, C* gradient) {
  const int64_t n = sizes.classes;
  ParallelFor(sizes.rows, kSparseSoftmaxXentGrain / n + 1, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const C* from = x + row * n;
      C* to = gradient + row * n;
      const int64_t label = static_cast<int64_t>(labels[row]);
      const C max = MaxOf(from, n);
      const double logit = static_cast<double>(from[label]) - max;
      const double sum = ExpBelow(from, max, to, n);
      ScaleRow(to, n, static_cast<C>(1 / sum));
      to[label] = static_cast<C>((std::exp(logit) - sum) / sum);  // keeps what - 1 would lose
      loss[row] = T(std::log(sum) - logit);
    }
  });
}

template <typename T, typename Label>
class SparseXentOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& features = context->input(0);
    const Tensor& labels = context->input(1);
    ASSIGN_OR_RETURN(const XentSizes sizes,
                     MakeSparseXentSizes(features.shape(), labels.shape()));
    RETURN_IF_ERROR(CheckLabels<Label>(labels, sizes.classes));
    ASSIGN_OR_RETURN(Tensor * loss, context->AllocateOutput(0, Shape{sizes.rows}));
    ASSIGN_OR_RETURN(Tensor * backprop,
                     context->ForwardOrAllocateOutput({0}, 1, features.shape()));
    if (features.num_elements() == 0) return OkStatus();
    if constexpr (std::is_same_v<T, C>) {
      XentRows(features.data<T>(), labels.data<Label>(), sizes, loss->mutable_data<T>(),
               backprop->mutable_data<T>());
    } else {
      ASSIGN_OR_RETURN(Tensor wide, context->AllocateTemp(DTypeOf<C>::value, features.shape()));
      ConvertElements(features.data<T>(), features.num_elements(), wide.mutable_data<C>());
      XentRows(wide.data<C>(), labels.data<Label>(), sizes, loss->mutable_data<T>(),
               wide.mutable_data<C>());
      ConvertElements(wide.data<C>(), features.num_elements(), backprop->mutable_data<T>());
    }
    return OkStatus();
  }
};

#define REGISTER_ONE(T, Label)                                                     \
  REGISTER_KERNEL(Kernel("SparseSoftmaxCrossEntropyWithLogits")                    \
                      .OnCpu().Type<T>("T").Type<Label>("Tlabels"),                \
                  SparseXentOp<T, Label>);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
