// InTopK and InTopKV2: whether the score of each row's target is among its k best.
#include <cmath>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

constexpr int64_t kInTopKGrain = 32768;  // scores that are worth a thread

Status InTopKShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape predictions, context->WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape targets, context->WithRank(1, 1));
  ASSIGN_OR_RETURN(PartialShape rows, PartialShape{predictions.dim(0)}.MergeWith(targets));
  context->set_output(0, std::move(rows));
  return OkStatus();
}

REGISTER_OP("InTopK")
    .Input("predictions: float")
    .Input("targets: T")
    .Output("precision: bool")
    .Attr("k: int")
    .Attr("T: {int32, int64} = DT_INT32")
    .ShapeFunction(InTopKShape);

REGISTER_OP("InTopKV2")
    .Input("predictions: float")
    .Input("targets: T")
    .Input("k: T")
    .Output("precision: bool")
    .Attr("T: {int32, int64} = DT_INT32")
    .ShapeFunction(InTopKShape);

// A target that is no class, and a row with a score that is no finite number, is in no list.
bool IsAmongBest(const float* scores, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(scores[target])) return false;
  int64_t better = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (!std::isfinite(scores[c])) return false;
    better += scores[c] > scores[target];
  }
  return better < k;
}

template <typename Label>
class InTopKOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if (construction.node.op().inputs.size() == 3) return OkStatus();
    ASSIGN_OR_RETURN(k_, construction.Attr<int64_t>("k"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& predictions = context->input(0);
    const Tensor& targets = context->input(1);
    if (predictions.rank() != 2 || targets.rank() != 1 || targets.dim(0) != predictions.dim(0)) {
      return InvalidArgument("predictions must be a matrix and targets a vector of as many rows, "
                             "but their shapes are ", predictions.shape(), " and ",
                             targets.shape());
    }
    int64_t k = k_;
    if (context->num_inputs() == 3) {
      if (context->input(2).rank() != 0) return InvalidArgument("k must be a scalar");
      k = static_cast<int64_t>(*context->input(2).data<Label>());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, targets.shape()));
    const int64_t classes = predictions.dim(1);
    const float* scores = predictions.data<float>();
    const Label* target = targets.data<Label>();
    bool* out = output->mutable_data<bool>();
    ParallelFor(targets.dim(0), kInTopKGrain / (classes + 1) + 1, [=](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        out[row] = IsAmongBest(scores + row * classes, classes, static_cast<int64_t>(target[row]),
                               k);
      }
    });
    return OkStatus();
  }

 private:
  int64_t k_ = 0;
};

#define REGISTER(T)                                                          \
  REGISTER_KERNEL(Kernel("InTopK").OnCpu().Type<T>("T"), InTopKOp<T>);       \
  REGISTER_KERNEL(Kernel("InTopKV2").OnCpu().Type<T>("T"), InTopKOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
