// CombinedNonMaxSuppression: for each image the best boxes of all classes together.
#include <algorithm>
#include <vector>

#include "base/stop.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/image/box_selection.h"

namespace tfbuild {
namespace {

REGISTER_OP("CombinedNonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size_per_class: int32")
    .Input("max_total_size: int32")
    .Input("iou_threshold: float")
    .Input("score_threshold: float")
    .Output("nmsed_boxes: float")
    .Output("nmsed_scores: float")
    .Output("nmsed_classes: float")
    .Output("valid_detections: int32")
    .Attr("pad_per_class: bool = false")
    .Attr("clip_boxes: bool = true")
    .ShapeFunction([](ShapeContext* context) {
      ASSIGN_OR_RETURN(const PartialShape boxes, context->WithRank(0, 4));
      RETURN_IF_ERROR(context->WithRank(1, 3).status());
      context->set_output(0, {boxes.dim(0), kUnknownDim, 4});
      context->set_output(1, {boxes.dim(0), kUnknownDim});
      context->set_output(2, {boxes.dim(0), kUnknownDim});
      context->set_output(3, {boxes.dim(0)});
      return OkStatus();
    });

constexpr int64_t kMostBoxes = int64_t{1} << 28;  // of all images that are put out

struct Sizes {
  int64_t images, boxes, sets, classes;
  int64_t per_class, total;  // at most
};

struct Detection {
  float box[4];
  float score;
  float category;
};

class CombinedNonMaxSuppressionOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(pads_per_class_, construction.Attr<bool>("pad_per_class"));
    ASSIGN_OR_RETURN(clips_, construction.Attr<bool>("clip_boxes"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Sizes sizes, ReadSizes(*context));
    BoxThresholds thresholds;
    thresholds.overlap = *context->input(4).data<float>();
    thresholds.score = *context->input(5).data<float>();
    if (!(thresholds.overlap >= 0 && thresholds.overlap <= 1)) {
      return InvalidArgument("iou_threshold must be in [0, 1]");
    }
    int64_t size = sizes.total;
    if (pads_per_class_) size = std::min(size, sizes.per_class * sizes.classes);
    if (size * sizes.images > kMostBoxes) {
      return InvalidArgument("max_total_size of ", size, " for ", sizes.images, " images is too large");
    }
    ASSIGN_OR_RETURN(Tensor * boxes, context->AllocateOutput(0, Shape{sizes.images, size, 4}));
    ASSIGN_OR_RETURN(Tensor * scores, context->AllocateOutput(1, Shape{sizes.images, size}));
    ASSIGN_OR_RETURN(Tensor * classes, context->AllocateOutput(2, Shape{sizes.images, size}));
    ASSIGN_OR_RETURN(Tensor * valid, context->AllocateOutput(3, Shape{sizes.images}));
    for (const auto& tensor : {boxes, scores, classes}) {
      std::fill_n(tensor->mutable_data<float>(), tensor->num_elements(), 0.0f);
    }
    for (int64_t image = 0; image < sizes.images; ++image) {
      const std::vector<Detection> found = Detect(*context, sizes, image, size, thresholds);
      for (size_t i = 0; i < found.size(); ++i) {
        const int64_t at = image * size + static_cast<int64_t>(i);
        for (int k = 0; k < 4; ++k) boxes->mutable_data<float>()[4 * at + k] = Clipped(found[i].box[k]);
        scores->mutable_data<float>()[at] = found[i].score;
        classes->mutable_data<float>()[at] = found[i].category;
      }
      valid->mutable_data<int32_t>()[image] = static_cast<int32_t>(found.size());
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  static Result<Sizes> ReadSizes(const OpKernelContext& context) {
    const Tensor& boxes = context.input(0);
    const Tensor& scores = context.input(1);
    if (boxes.rank() != 4 || boxes.dim(3) != 4) {
      return InvalidArgument("boxes must be [batch, boxes, sets, 4]: ", boxes.shape());
    }
    if (scores.rank() != 3 || scores.dim(0) != boxes.dim(0) || scores.dim(1) != boxes.dim(1)) {
      return InvalidArgument("scores has incompatible shape ", scores.shape(), " for boxes of ",
                             boxes.shape());
    }
    if (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2)) {
      return InvalidArgument("third dimension of boxes must be either 1 or num classes, not ", boxes.dim(2));
    }
    for (int i = 2; i < 6; ++i) {
      if (context.input(i).rank() == 0) continue;
      return InvalidArgument("sizes and thresholds must be 0-D, got shape ", context.input(i).shape());
    }
    const int64_t per_class = *context.input(2).data<int32_t>();
    const int64_t total = *context.input(3).data<int32_t>();
    if (per_class <= 0) return InvalidArgument("max_size_per_class must be positive, not ", per_class);
    if (total <= 0) return InvalidArgument("max_total_size must be > 0, not ", total);
    return Sizes{boxes.dim(0), boxes.dim(1), boxes.dim(2), scores.dim(2), per_class, total};
  }

  float Clipped(float side) const { return clips_ ? std::max(std::min(side, 1.0f), 0.0f) : side; }

  // The best of all classes, the best first.
  static std::vector<Detection> Detect(const OpKernelContext& context, const Sizes& sizes, int64_t image,
                                       int64_t most, const BoxThresholds& thresholds) {
    const float* const boxes = context.input(0).data<float>() + image * sizes.boxes * sizes.sets * 4;
    const float* const scores = context.input(1).data<float>() + image * sizes.boxes * sizes.classes;
    std::vector<Detection> found;
    std::vector<float> own_boxes(static_cast<size_t>(sizes.boxes * 4));
    std::vector<float> own_scores(static_cast<size_t>(sizes.boxes));
    for (int64_t c = 0; c < sizes.classes; ++c) {
      ThrowIfStopped();
      const int64_t set = sizes.sets == 1 ? 0 : c;
      for (int64_t i = 0; i < sizes.boxes; ++i) {
        std::copy_n(boxes + (i * sizes.sets + set) * 4, 4, &own_boxes[static_cast<size_t>(4 * i)]);
        own_scores[static_cast<size_t>(i)] = scores[i * sizes.classes + c];
      }
      const size_t held = static_cast<size_t>(std::min(sizes.per_class, sizes.boxes));
      for (const SelectedBox& one : SelectBoxes(own_boxes, own_scores, held, thresholds)) {
        Detection detection{{}, one.score, static_cast<float>(c)};
        std::copy_n(&own_boxes[4 * static_cast<size_t>(one.box)], 4, detection.box);
        found.push_back(detection);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    if (static_cast<int64_t>(found.size()) > most) found.resize(static_cast<size_t>(most));
    return found;
  }

  bool pads_per_class_ = false;
  bool clips_ = true;
};

REGISTER_KERNEL(Kernel("CombinedNonMaxSuppression").OnCpu(), CombinedNonMaxSuppressionOp);

}  // namespace
}  // namespace tfbuild
