#pragma once

// What the ways to resize images share: sizes, places, and the kernels around the loops that differ.

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "base/status.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/image/resize_places.h"

namespace tfbuild {

struct ResizeSettings {
  bool align_corners = false;
  bool half_pixel_centers = false;

  // Of an op without half_pixel_centers, pixels lie at their corners.
  Status Read(const OpKernelConstruction& construction) {
    ASSIGN_OR_RETURN(align_corners, construction.Attr<bool>("align_corners"));
    const Result<bool> centers = construction.Attr<bool>("half_pixel_centers");
    half_pixel_centers = centers.ok() && *centers;
    if (!align_corners || !half_pixel_centers) return OkStatus();
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  }
};

// An image seen as [batch, rows, cols, channels], and the rows and columns that it gets.
struct ResizeSizes {
  int64_t batch = 0, channels = 0;
  int64_t in_rows = 0, in_cols = 0, out_rows = 0, out_cols = 0;
  ResizeScale rows, cols;

  int64_t in_row_size() const { return in_cols * channels; }
  int64_t out_row_size() const { return out_cols * channels; }
  Shape output() const { return Shape{batch, out_rows, out_cols, channels}; }

  static Result<ResizeSizes> Make(const Shape& images, int64_t rows, int64_t cols,
                                  const ResizeSettings& settings) {
    if (images.rank() != 4) return InvalidArgument("images must be 4-dimensional: ", images);
    if (rows <= 0 || cols <= 0) return InvalidArgument("output dimensions must be positive");
    if (images.dim(1) < 1 || images.dim(2) < 1) {
      return InvalidArgument("input image must be of non-zero size");
    }
    RETURN_IF_ERROR(Shape::Make({images.dim(0), rows, cols, images.dim(3)}).status());
    ResizeSizes sizes;
    sizes.batch = images.dim(0);
    sizes.channels = images.dim(3);
    sizes.in_rows = images.dim(1);
    sizes.in_cols = images.dim(2);
    sizes.out_rows = rows;
    sizes.out_cols = cols;
    sizes.rows = ResizeScale::Make(sizes.in_rows, rows, settings.align_corners,
                                   settings.half_pixel_centers);
    sizes.cols = ResizeScale::Make(sizes.in_cols, cols, settings.align_corners,
                                   settings.half_pixel_centers);
    return sizes;
  }
};

// The two numbers of a size input.
inline Result<std::vector<int64_t>> ResizeTo(const Tensor& size) {
  if (size.rank() != 1 || size.dim(0) != 2) {
    return InvalidArgument("size must be a vector of two numbers: ", size.shape());
  }
  return size.IntValues();
}

inline Status ResizeShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape images, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape size, context->input_as_shape(1));
  int64_t rows = kUnknownDim, cols = kUnknownDim;
  if (size.known_rank()) {
    if (size.rank() != 2) return InvalidArgument("size must be a vector of two numbers");
    rows = size.dim(0);
    cols = size.dim(1);
  }
  context->set_output(0, {images.dim(0), rows, cols, images.dim(3)});
  return OkStatus();
}

// Of a gradient whose second input is the image that was resized.
inline Status ResizeGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->WithRank(1, 4));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

// Images of another size: what is around the loops of each way, on whichever device.
class ResizeKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) final {
    const Tensor& images = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> size, ResizeTo(context->input(1)));
    ASSIGN_OR_RETURN(const ResizeSizes sizes,
                     ResizeSizes::Make(images.shape(), size[0], size[1], settings_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, sizes.output()));
    return output->num_elements() > 0 ? Resize(context, sizes, images, output) : OkStatus();
  }

  bool IsExpensive() const override { return true; }

 protected:
  virtual Status Resize(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& images,
                        Tensor* output) const = 0;

  // Calls body(begin, end) for rows of the result, counted through all images.
  template <typename Body>
  static void ForRows(const ResizeSizes& sizes, const Body& body) {
    constexpr int64_t kGrain = 8192;  // elements that are worth a thread
    ParallelFor(sizes.batch * sizes.out_rows, kGrain / sizes.out_row_size() + 1, body);
  }

  ResizeSettings settings_;
};

// Gradients of images of another size: what is around the sums of each way, on whichever device.
class ResizeGradKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) final {
    const Tensor& gradient = context->input(0);
    if (gradient.rank() != 4) return InvalidArgument("grads must be 4-dimensional");
    ASSIGN_OR_RETURN(const Shape original, Original(*context));
    ASSIGN_OR_RETURN(const ResizeSizes sizes, ResizeSizes::Make(original, gradient.dim(1),
                                                                gradient.dim(2), settings_));
    if (gradient.shape() != sizes.output()) {
      return InvalidArgument("grads of shape ", gradient.shape(), " for images of ", original);
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, original));
    return output->num_elements() > 0 ? AddUp(context, sizes, gradient, output) : OkStatus();
  }

  bool IsExpensive() const override { return true; }

 protected:
  // The shape of the image that was resized.
  virtual Result<Shape> Original(const OpKernelContext& context) const {
    return context.input(1).shape();
  }
  // Adds each number of the gradient to the pixels that it was made of.
  virtual Status AddUp(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& gradient,
                       Tensor* output) const = 0;

  ResizeSettings settings_;
};

// Of a gradient whose second input is the size of the image that was resized.
class ResizeGradToSizeKernel : public ResizeGradKernel {
  Result<Shape> Original(const OpKernelContext& context) const final {
    ASSIGN_OR_RETURN(const std::vector<int64_t> size, ResizeTo(context.input(1)));
    const Tensor& gradient = context.input(0);
    return Shape::Make({gradient.dim(0), size[0], size[1], gradient.dim(3)});
  }
};

// On the host: image by image, in C.
template <typename T, typename C, typename Base = ResizeGradKernel>
class HostResizeGradKernel : public Base {
  Status AddUp(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& gradient,
               Tensor* output) const final {
    constexpr int64_t kGrain = 8192;  // elements that are worth a thread
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DTypeOf<C>::value, output->shape()));
    C* sum = sums.mutable_data<C>();
    ParallelFill(sum, sums.num_elements(), C(0));
    // Of an empty gradient the other dimensions may be of any size.
    const int64_t batch = gradient.num_elements() == 0 ? 0 : sizes.batch;
    const int64_t image = batch == 0 ? 0 : sizes.in_rows * sizes.in_row_size();
    ParallelFor(batch, kGrain / (image + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) AddImage(sizes, gradient, b, sum + b * image);
    });
    T* out = output->template mutable_data<T>();
    ParallelConvert(sum, sums.num_elements(), out);
    return OkStatus();
  }

  // Adds the gradient of image `b` of the batch to `sum`, that of its pixels.
  virtual void AddImage(const ResizeSizes& sizes, const Tensor& gradient, int64_t b, C* sum) const = 0;
};

}  // namespace tfbuild

// The types of images.
#define TFBUILD_IMAGE_TYPES(CALL) TFBUILD_COMMON_NUMBER_TYPES(CALL) CALL(uint16_t)
