// CropAndResize and its gradients: parts of images, each of one size.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

constexpr int64_t kCropAndResizeGrain = 4096;  // elements that are worth a thread

Status CropsShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape images, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape boxes, context->WithRank(1, 2));
  ASSIGN_OR_RETURN(const PartialShape size, context->input_as_shape(3));
  const bool known = size.known_rank() && size.rank() == 2;
  context->set_output(0, {boxes.dim(0), known ? size.dim(0) : kUnknownDim,
                          known ? size.dim(1) : kUnknownDim, images.dim(3)});
  return OkStatus();
}

Status ImageGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(3));
  context->set_output(0, shape.known_rank() ? std::move(shape) : PartialShape::UnknownOfRank(4));
  return OkStatus();
}

Status BoxesGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->WithRank(2, 2));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("CropAndResize")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("crop_size: int32")
    .Output("crops: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Attr("extrapolation_value: float = 0")
    .ShapeFunction(CropsShape);
REGISTER_OP("CropAndResizeGradImage")
    .Input("grads: float")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("image_size: int32")
    .Output("output: T")
    .Attr("T: {float, half, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .ShapeFunction(ImageGradShape);
REGISTER_OP("CropAndResizeGradBoxes")
    .Input("grads: float")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Output("output: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear'} = 'bilinear'")
    .ShapeFunction(BoxesGradShape);

// Where a crop's pixels lie in the image, along one direction.
struct Line {
  float first = 0, step = 0;
  int64_t size = 0;

  Line(float from, float to, int64_t image, int64_t crop) : size(image) {
    const float last = static_cast<float>(image - 1);
    step = crop > 1 ? (to - from) * last / static_cast<float>(crop - 1) : 0;
    first = crop > 1 ? from * last : 0.5f * (from + to) * last;
  }
  float Place(int64_t i) const { return first + static_cast<float>(i) * step; }
  bool IsInside(float place) const { return place >= 0 && place <= static_cast<float>(size - 1); }
  // The pixels of a place inside. A float may be rounded to one beyond the last pixel.
  int64_t Below(float place) const { return AtMostLast(std::floor(place)); }
  int64_t Above(float place) const { return AtMostLast(std::ceil(place)); }
  int64_t Nearest(float place) const { return AtMostLast(std::round(place)); }

 private:
  int64_t AtMostLast(float pixel) const { return std::min(static_cast<int64_t>(pixel), size - 1); }
};

// The two pixels around a place inside, and how far it is from the first.
struct Around {
  int64_t lower, upper;
  float share;
  Around(const Line& line, float place)
      : lower(line.Below(place)), upper(line.Above(place)), share(place - static_cast<float>(lower)) {}
};

// Images, boxes in them, and crops: shapes that agree.
struct Crops {
  int64_t batch = 0, height = 0, width = 0, channels = 0;
  int64_t count = 0, crop_height = 0, crop_width = 0;
  const float* boxes = nullptr;
  const int32_t* of_box = nullptr;

  static Result<Crops> Make(const Shape& images, const Tensor& boxes, const Tensor& of_box,
                            int64_t crop_height, int64_t crop_width) {
    if (images.rank() != 4) return InvalidArgument("input image must be 4-D: ", images);
    if (boxes.rank() != 2 || boxes.dim(1) != 4) {
      return InvalidArgument("boxes must be [num_boxes, 4]: ", boxes.shape());
    }
    if (of_box.rank() != 1 || of_box.dim(0) != boxes.dim(0)) {
      return InvalidArgument("box_index has incompatible shape: ", of_box.shape(),
                             " for boxes of ", boxes.shape());
    }
    if (images.dim(1) < 1 || images.dim(2) < 1) return InvalidArgument("image dimensions must be positive");
    if (crop_height < 1 || crop_width < 1) return InvalidArgument("crop dimensions must be positive");
    RETURN_IF_ERROR(Shape::Make({boxes.dim(0), crop_height, crop_width, images.dim(3)}).status());
    const Crops crops{images.dim(0), images.dim(1), images.dim(2), images.dim(3), boxes.dim(0),
                      crop_height, crop_width, boxes.data<float>(), of_box.data<int32_t>()};
    for (int64_t i = 0; i < crops.count; ++i) {
      if (crops.of_box[i] < 0 || crops.of_box[i] >= crops.batch) {
        return Status(Code::kOutOfRange, "box_index has values outside [0, batch_size)");
      }
    }
    return crops;
  }

  int64_t crop_size() const { return crop_height * crop_width * channels; }
  int64_t image_size() const { return height * width * channels; }
  Line Rows(int64_t i) const { return {boxes[4 * i], boxes[4 * i + 2], height, crop_height}; }
  Line Cols(int64_t i) const { return {boxes[4 * i + 1], boxes[4 * i + 3], width, crop_width}; }
  // Where a pixel of the image begins.
  int64_t At(int64_t row, int64_t col) const { return (row * width + col) * channels; }
};

Result<bool> IsNearest(const OpKernelConstruction& construction) {
  ASSIGN_OR_RETURN(const std::string method, construction.Attr<std::string>("method"));
  return method == "nearest";
}

template <typename T>
class CropAndResizeOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(nearest_, IsNearest(construction));
    ASSIGN_OR_RETURN(outside_, construction.Attr<float>("extrapolation_value"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    const Tensor& size = context->input(3);
    if (size.rank() != 1 || size.dim(0) != 2) {
      return InvalidArgument("crop_size must have two elements: ", size.shape());
    }
    ASSIGN_OR_RETURN(const Crops crops,
                     Crops::Make(images.shape(), context->input(1), context->input(2),
                                 size.data<int32_t>()[0], size.data<int32_t>()[1]));
    ASSIGN_OR_RETURN(Tensor * output,
                     context->AllocateOutput(0, Shape{crops.count, crops.crop_height,
                                                      crops.crop_width, crops.channels}));
    if (output->num_elements() == 0) return OkStatus();
    const T* in = images.data<T>();
    float* out = output->mutable_data<float>();
    ParallelFor(crops.count, kCropAndResizeGrain / crops.crop_size() + 1, [&](int64_t begin, int64_t end) {
      StopLook look;
      for (int64_t i = begin; i < end; ++i) {
        Cut(crops, i, in + crops.of_box[i] * crops.image_size(), out + i * crops.crop_size(), &look);
      }
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  void Cut(const Crops& crops, int64_t i, const T* image, float* out, StopLook* look) const {
    const Line rows = crops.Rows(i), cols = crops.Cols(i);
    for (int64_t y = 0; y < crops.crop_height; ++y) {
      const float row = rows.Place(y);
      for (int64_t x = 0; x < crops.crop_width; ++x, out += crops.channels) {
        look->Turn();
        const float col = cols.Place(x);
        if (!rows.IsInside(row) || !cols.IsInside(col)) {
          std::fill(out, out + crops.channels, outside_);
        } else if (nearest_) {
          const T* pixel = image + crops.At(rows.Nearest(row), cols.Nearest(col));
          for (int64_t c = 0; c < crops.channels; ++c) out[c] = static_cast<float>(pixel[c]);
        } else {
          Mix(crops, image, Around(rows, row), Around(cols, col), out);
        }
      }
    }
  }

  static void Mix(const Crops& crops, const T* image, const Around& y, const Around& x, float* out) {
    const T* top_left = image + crops.At(y.lower, x.lower);
    const T* top_right = image + crops.At(y.lower, x.upper);
    const T* bottom_left = image + crops.At(y.upper, x.lower);
    const T* bottom_right = image + crops.At(y.upper, x.upper);
    for (int64_t c = 0; c < crops.channels; ++c) {
      const float left = static_cast<float>(top_left[c]), below = static_cast<float>(bottom_left[c]);
      const float top = left + (static_cast<float>(top_right[c]) - left) * x.share;
      const float bottom = below + (static_cast<float>(bottom_right[c]) - below) * x.share;
      out[c] = top + (bottom - top) * y.share;
    }
  }

  bool nearest_ = false;
  float outside_ = 0;
};

template <typename T>
class CropAndResizeGradImageOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(nearest_, IsNearest(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    if (gradient.rank() != 4) return InvalidArgument("grads image must be 4-D: ", gradient.shape());
    ASSIGN_OR_RETURN(std::vector<int64_t> dims, context->input(3).IntValues());
    if (context->input(3).rank() != 1 || dims.size() != 4) {
      return InvalidArgument("image_size must have four elements");
    }
    ASSIGN_OR_RETURN(const Shape images, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(const Crops crops, Crops::Make(images, context->input(1), context->input(2),
                                                    gradient.dim(1), gradient.dim(2)));
    if (gradient.dim(0) != crops.count || gradient.dim(3) != crops.channels) {
      return InvalidArgument("grads of ", gradient.shape(), " for boxes of ", context->input(1).shape(),
                             " in images of ", images);
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, images));
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DType::kDouble, images));
    double* sum = sums.mutable_data<double>();
    ParallelFill(sum, sums.num_elements(), 0.0);
    StopLook look;
    for (int64_t i = 0; i < crops.count; ++i) {
      AddUp(crops, i, gradient.data<float>() + i * crops.crop_size(),
            sum + crops.of_box[i] * crops.image_size(), &look);
    }
    T* out = output->mutable_data<T>();
    ParallelConvert(sum, sums.num_elements(), out);
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  void AddUp(const Crops& crops, int64_t i, const float* from, double* sum, StopLook* look) const {
    const Line rows = crops.Rows(i), cols = crops.Cols(i);
    for (int64_t y = 0; y < crops.crop_height; ++y) {
      const float row = rows.Place(y);
      for (int64_t x = 0; x < crops.crop_width; ++x, from += crops.channels) {
        look->Turn();
        const float col = cols.Place(x);
        if (!rows.IsInside(row) || !cols.IsInside(col)) continue;
        if (nearest_) {
          Add(from, 1, crops.channels, sum + crops.At(rows.Nearest(row), cols.Nearest(col)));
          continue;
        }
        const Around v(rows, row), h(cols, col);
        Add(from, (1 - v.share) * (1 - h.share), crops.channels, sum + crops.At(v.lower, h.lower));
        Add(from, (1 - v.share) * h.share, crops.channels, sum + crops.At(v.lower, h.upper));
        Add(from, v.share * (1 - h.share), crops.channels, sum + crops.At(v.upper, h.lower));
        Add(from, v.share * h.share, crops.channels, sum + crops.At(v.upper, h.upper));
      }
    }
  }

  static void Add(const float* from, float share, int64_t count, double* to) {
    for (int64_t c = 0; c < count; ++c) to[c] += static_cast<double>(from[c] * share);
  }

  bool nearest_ = false;
};

template <typename T>
class CropAndResizeGradBoxesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const Tensor& images = context->input(1);
    const Tensor& boxes = context->input(2);
    if (gradient.rank() != 4) return InvalidArgument("grads image must be 4-D: ", gradient.shape());
    ASSIGN_OR_RETURN(const Crops crops, Crops::Make(images.shape(), boxes, context->input(3),
                                                    gradient.dim(1), gradient.dim(2)));
    if (gradient.dim(0) != crops.count || gradient.dim(3) != crops.channels) {
      return InvalidArgument("grads of ", gradient.shape(), " for boxes of ", boxes.shape(),
                             " in images of ", images.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, boxes.shape()));
    float* out = output->mutable_data<float>();
    StopLook look;
    for (int64_t i = 0; i < crops.count; ++i) {
      Box(crops, i, gradient.data<float>() + i * crops.crop_size(),
          images.data<T>() + crops.of_box[i] * crops.image_size(), out + 4 * i, &look);
    }
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  // What an end of the box moves of the place of pixel i of the crop: `begin` and `end` of it.
  struct Moves {
    double begin, end;
    Moves(int64_t i, int64_t crop, int64_t image) {
      const double last = static_cast<double>(image - 1);
      end = crop > 1 ? static_cast<double>(i) * last / static_cast<double>(crop - 1) : 0.5 * last;
      begin = last - end;
    }
  };

  static void Box(const Crops& crops, int64_t i, const float* from, const T* image, float* out,
                  StopLook* look) {
    const Line rows = crops.Rows(i), cols = crops.Cols(i);
    double sums[4] = {0, 0, 0, 0};
    for (int64_t y = 0; y < crops.crop_height; ++y) {
      const float row = rows.Place(y);
      const Moves by_row(y, crops.crop_height, crops.height);
      for (int64_t x = 0; x < crops.crop_width; ++x, from += crops.channels) {
        look->Turn();
        const float col = cols.Place(x);
        if (!rows.IsInside(row) || !cols.IsInside(col)) continue;
        double down = 0, right = 0;
        Slopes(crops, image, Around(rows, row), Around(cols, col), from, &down, &right);
        const Moves by_col(x, crops.crop_width, crops.width);
        sums[0] += down * by_row.begin;
        sums[1] += right * by_col.begin;
        sums[2] += down * by_row.end;
        sums[3] += right * by_col.end;
      }
    }
    for (int c = 0; c < 4; ++c) out[c] = static_cast<float>(sums[c]);
  }

  // How the loss changes where the place moves down and to the right.
  static void Slopes(const Crops& crops, const T* image, const Around& y, const Around& x,
                     const float* gradient, double* down, double* right) {
    for (int64_t c = 0; c < crops.channels; ++c) {
      const auto at = [&](int64_t r, int64_t l) { return static_cast<float>(image[crops.At(r, l) + c]); };
      const float top_left = at(y.lower, x.lower), top_right = at(y.lower, x.upper);
      const float bottom_left = at(y.upper, x.lower), bottom_right = at(y.upper, x.upper);
      const float vertical = (1 - x.share) * (bottom_left - top_left) + x.share * (bottom_right - top_right);
      const float horizontal = (1 - y.share) * (top_right - top_left) +
                               y.share * (bottom_right - bottom_left);
      *down += static_cast<double>(vertical * gradient[c]);
      *right += static_cast<double>(horizontal * gradient[c]);
    }
  }
};

#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("CropAndResize").OnCpu().Type<T>("T"), CropAndResizeOp<T>);             \
  REGISTER_KERNEL(Kernel("CropAndResizeGradBoxes").OnCpu().Type<T>("T"), CropAndResizeGradBoxesOp<T>);
TFBUILD_COMMON_INTEGER_TYPES(REGISTER)
REGISTER(uint16_t)
REGISTER(Half)
REGISTER(float)
REGISTER(double)
#undef REGISTER
#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("CropAndResizeGradImage").OnCpu().Type<T>("T"), CropAndResizeGradImageOp<T>);
REGISTER(Half)
REGISTER(float)
REGISTER(double)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
