// NonMaxSuppressionWithOverlaps: the best scores, where a matrix says how much boxes overlap.
#include <algorithm>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/image/box_selection.h"

namespace tfbuild {
namespace {

REGISTER_OP("NonMaxSuppressionWithOverlaps")
    .Input("overlaps: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Input("overlap_threshold: float")
    .Input("score_threshold: float")
    .Output("selected_indices: int32")
    .ShapeFunction([](ShapeContext* context) {
      RETURN_IF_ERROR(context->WithRank(0, 2).status());
      RETURN_IF_ERROR(context->WithRank(1, 1).status());
      context->set_output(0, {kUnknownDim});
      return OkStatus();
    });

class NonMaxSuppressionWithOverlapsOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& overlaps = context->input(0);
    const Tensor& scores = context->input(1);
    if (overlaps.rank() != 2 || overlaps.dim(0) != overlaps.dim(1)) {
      return InvalidArgument("overlaps must be square: ", overlaps.shape());
    }
    if (scores.rank() != 1 || scores.dim(0) != overlaps.dim(0)) {
      return InvalidArgument("scores has incompatible shape ", scores.shape(), " for overlaps of ",
                             overlaps.shape());
    }
    for (int i = 2; i < 5; ++i) {
      if (context->input(i).rank() == 0) continue;
      return InvalidArgument("sizes and thresholds must be 0-D, got shape ", context->input(i).shape());
    }
    const int32_t most = *context->input(2).data<int32_t>();
    if (most < 0) return InvalidArgument("output size must be non-negative, not ", most);
    BoxThresholds thresholds;
    thresholds.overlap = *context->input(3).data<float>();
    thresholds.score = *context->input(4).data<float>();
    const float* const table = overlaps.data<float>();
    const int64_t count = overlaps.dim(0);
    const BoxOverlap overlap = [table, count](int32_t a, int32_t b) { return table[a * count + b]; };
    const std::vector<float> values(scores.data<float>(), scores.data<float>() + count);
    const size_t held = static_cast<size_t>(std::min<int64_t>(most, count));
    const std::vector<SelectedBox> selected = SelectBoxes(overlap, values, held, thresholds);
    ASSIGN_OR_RETURN(Tensor * indices,
                     context->AllocateOutput(0, Shape{static_cast<int64_t>(selected.size())}));
    for (size_t i = 0; i < selected.size(); ++i) indices->mutable_data<int32_t>()[i] = selected[i].box;
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("NonMaxSuppressionWithOverlaps").OnCpu(), NonMaxSuppressionWithOverlapsOp);

}  // namespace
}  // namespace tfbuild
