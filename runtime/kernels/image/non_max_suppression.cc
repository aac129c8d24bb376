// NonMaxSuppression, V1 to V5: of boxes that overlap, those with the best scores.
#include <algorithm>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/image/box_selection.h"

namespace tfbuild {
namespace {

Status SelectedShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 2).status());
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, {kUnknownDim});
  return OkStatus();
}

// With a count of the outputs that are valid, as the last output.
Status PaddedShape(ShapeContext* context) {
  RETURN_IF_ERROR(SelectedShape(context));
  context->set_output(context->num_outputs() - 1, PartialShape(std::vector<int64_t>{}));
  return OkStatus();
}

REGISTER_OP("NonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Output("selected_indices: int32")
    .Attr("iou_threshold: float = 0.5")
    .ShapeFunction(SelectedShape);
REGISTER_OP("NonMaxSuppressionV2")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .ShapeFunction(SelectedShape);
REGISTER_OP("NonMaxSuppressionV3")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .ShapeFunction(SelectedShape);
REGISTER_OP("NonMaxSuppressionV4")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .Attr("pad_to_max_output_size: bool = false")
    .ShapeFunction(PaddedShape);
REGISTER_OP("NonMaxSuppressionV5")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T")
    .Input("score_threshold: T")
    .Input("soft_nms_sigma: T")
    .Output("selected_indices: int32")
    .Output("selected_scores: T")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("pad_to_max_output_size: bool = false")
    .ShapeFunction(PaddedShape);

Result<float> NumberOf(const Tensor& tensor, const char* name) {
  if (tensor.rank() != 0) return InvalidArgument(name, " must be 0-D, got shape ", tensor.shape());
  if (tensor.dtype() == DType::kHalf) return static_cast<float>(*tensor.data<Half>());
  return *tensor.data<float>();
}

template <typename T>
std::vector<float> Floats(const Tensor& tensor) {
  const T* values = tensor.data<T>();
  return std::vector<float>(values, values + tensor.num_elements());
}

template <typename T, int kVersion>
class NonMaxSuppressionOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if constexpr (kVersion == 1) {
      ASSIGN_OR_RETURN(thresholds_.overlap, construction.Attr<float>("iou_threshold"));
      RETURN_IF_ERROR(CheckOverlap(thresholds_.overlap));
    }
    if constexpr (kVersion >= 4) {
      ASSIGN_OR_RETURN(pads_, construction.Attr<bool>("pad_to_max_output_size"));
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& boxes = context->input(0);
    const Tensor& scores = context->input(1);
    const Tensor& most = context->input(2);
    if (boxes.rank() != 2 || boxes.dim(1) != 4) {
      return InvalidArgument("boxes must be [num_boxes, 4]: ", boxes.shape());
    }
    if (scores.rank() != 1 || scores.dim(0) != boxes.dim(0)) {
      return InvalidArgument("scores has incompatible shape ", scores.shape(), " for boxes of ",
                             boxes.shape());
    }
    if (most.rank() != 0) return InvalidArgument("max_output_size must be 0-D, got shape ", most.shape());
    const int32_t count = *most.data<int32_t>();
    if (count < 0) return InvalidArgument("output size must be non-negative, not ", count);
    ASSIGN_OR_RETURN(const BoxThresholds thresholds, ReadThresholds(*context));
    const size_t held = std::min(static_cast<size_t>(count), static_cast<size_t>(boxes.dim(0)));
    const std::vector<SelectedBox> selected =
        SelectBoxes(Floats<T>(boxes), Floats<T>(scores), held, thresholds);
    return SetOutputs(context, selected, pads_ ? count : static_cast<int64_t>(selected.size()));
  }

 private:
  static Status CheckOverlap(float overlap) {
    if (overlap >= 0 && overlap <= 1) return OkStatus();
    return InvalidArgument("iou_threshold must be in [0, 1]");
  }

  Result<BoxThresholds> ReadThresholds(const OpKernelContext& context) const {
    BoxThresholds thresholds = thresholds_;
    if constexpr (kVersion >= 2) {
      ASSIGN_OR_RETURN(thresholds.overlap, NumberOf(context.input(3), "iou_threshold"));
      RETURN_IF_ERROR(CheckOverlap(thresholds.overlap));
    }
    if constexpr (kVersion >= 3) {
      ASSIGN_OR_RETURN(thresholds.score, NumberOf(context.input(4), "score_threshold"));
    }
    if constexpr (kVersion >= 5) {
      ASSIGN_OR_RETURN(thresholds.sigma, NumberOf(context.input(5), "soft_nms_sigma"));
      if (!(thresholds.sigma >= 0)) {
        return InvalidArgument("soft_nms_sigma must be >= 0, was ", thresholds.sigma);
      }
    }
    return thresholds;
  }

  static Status SetOutputs(OpKernelContext* context, const std::vector<SelectedBox>& selected, int64_t size) {
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(0, Shape{size}));
    std::fill_n(indices->mutable_data<int32_t>(), size, 0);
    for (size_t i = 0; i < selected.size(); ++i) indices->mutable_data<int32_t>()[i] = selected[i].box;
    if constexpr (kVersion >= 5) {
      ASSIGN_OR_RETURN(Tensor * scores, context->AllocateOutput(1, Shape{size}));
      std::fill_n(scores->mutable_data<T>(), size, T(0.0f));
      for (size_t i = 0; i < selected.size(); ++i) scores->mutable_data<T>()[i] = T(selected[i].score);
    }
    if constexpr (kVersion >= 4) {
      context->SetOutput(kVersion - 3, Tensor::Scalar(static_cast<int32_t>(selected.size())));
    }
    return OkStatus();
  }

  BoxThresholds thresholds_;
  bool pads_ = false;
};

#define REGISTER_VERSION(T, version)                                                    \
  REGISTER_KERNEL(Kernel("NonMaxSuppressionV" #version).OnCpu().Type<T>("T"),           \
                  NonMaxSuppressionOp<T, version>);
#define REGISTER(T) \
  REGISTER_VERSION(T, 2) REGISTER_VERSION(T, 3) REGISTER_VERSION(T, 4) REGISTER_VERSION(T, 5)
REGISTER_KERNEL(Kernel("NonMaxSuppression").OnCpu(), NonMaxSuppressionOp<float, 1>);
REGISTER(float)
REGISTER(Half)
#undef REGISTER
#undef REGISTER_VERSION

}  // namespace
}  // namespace tfbuild
