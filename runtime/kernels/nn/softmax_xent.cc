// SoftmaxCrossEntropyWithLogits: the loss against a distribution for each row, and its gradient.
#include <cmath>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/softmax_rows.h"
#include "kernels/nn/xent_sizes.h"

namespace tfbuild {
namespace {

constexpr int64_t kSoftmaxXentGrain = 32768;  // exponentials that are worth a thread

Status XentShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape both, BroadcastShapes(context->input(0), context->input(1)));
  if (both.known_rank() && both.rank() != 2) {
    return InvalidArgument("logits and labels must be broadcastable to a matrix, but have shapes ",
                           context->input(0), " and ", context->input(1));
  }
  if (!both.known_rank()) both = PartialShape::UnknownOfRank(2);
  context->set_output(0, {both.dim(0)});
  context->set_output(1, both);
  return OkStatus();
}

REGISTER_OP("SoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: T")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(XentShape);

// For a row x and its labels p: loss = sum(p (log(sum(exp(x))) - x)), gradient = softmax(x) - p. A
// label of 0 adds nothing, even where x is infinite.
template <typename C, typename T>
T XentRow(const C* x, const T* labels, int64_t label_stride, int64_t n, C* exponentials,
          T* gradient) {
  const C max = MaxOf(x, n);
  const double sum = ExpBelow(x, max, exponentials, n);
  const double log_sum = std::log(sum);
  double loss = 0;
  for (int64_t i = 0; i < n; ++i) {
    const C label = static_cast<C>(labels[i * label_stride]);
    if (label != C(0)) loss += label * (log_sum - (static_cast<double>(x[i]) - max));
    gradient[i] = T(static_cast<C>(exponentials[i] / sum - label));
  }
  return T(loss);
}

template <typename T>
class DenseXentOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& features = context->input(0);
    const Tensor& labels = context->input(1);
    ASSIGN_OR_RETURN(const DenseXentSizes sizes,
                     MakeDenseXentSizes(features.shape(), labels.shape()));
    const Shape shape{sizes.rows, sizes.classes};
    ASSIGN_OR_RETURN(Tensor * loss, context->AllocateOutput(0, Shape{sizes.rows}));
    ASSIGN_OR_RETURN(Tensor * backprop, context->AllocateOutput(1, shape));
    // The features of each row in the type of the arithmetic, side by side, and their exponentials:
    // where they lie so already, and where the result will, unless the type is another.
    const Shape none{0};
    ASSIGN_OR_RETURN(Tensor wide,
                     context->AllocateTemp(DTypeOf<C>::value, AsTheyLie(sizes) ? none : shape));
    ASSIGN_OR_RETURN(Tensor exponentials,
                     context->AllocateTemp(DTypeOf<C>::value, kSame ? none : shape));
    Rows(sizes, features.data<T>(), labels.data<T>(), wide.mutable_data<C>(),
         exponentials.mutable_data<C>(), loss->mutable_data<T>(), backprop->mutable_data<T>());
    return OkStatus();
  }

 private:
  using C = ComputeTypeOf<T>;
  static constexpr bool kSame = std::is_same<T, C>::value;

  static bool AsTheyLie(const DenseXentSizes& sizes) { return kSame && sizes.features_col == 1; }

  static void Rows(const DenseXentSizes& sizes, const T* features, const T* labels, C* wide,
                   C* exponentials, T* loss, T* backprop) {
    const int64_t n = sizes.classes;
    const int64_t grain = kSoftmaxXentGrain / std::max<int64_t>(n, 1) + 1;
    ParallelFor(sizes.rows, grain, [=](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* from = features + row * sizes.features_row;
        const C* x = wide + row * n;
        C* e = exponentials + row * n;
        if constexpr (kSame) e = backprop + row * n;
        if (AsTheyLie(sizes)) {
          if constexpr (kSame) x = from;
        } else {
          C* copy = wide + row * n;
          for (int64_t i = 0; i < n; ++i) copy[i] = static_cast<C>(from[i * sizes.features_col]);
        }
        loss[row] = XentRow(x, labels + row * sizes.labels_row, sizes.labels_col, n, e,
                            backprop + row * n);
      }
    });
  }
};

#define REGISTER(T)                                                                       \
  REGISTER_KERNEL(Kernel("SoftmaxCrossEntropyWithLogits").OnCpu().Type<T>("T"),           \
                  DenseXentOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
