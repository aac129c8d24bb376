#pragma once

// Sizes and places that the ways to resize images share.

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// Where the pixels of the result lie in an image of another size, along one direction.
struct ResizeScale {
  double factor = 1;
  bool half_pixel_centers = false;

  static ResizeScale Make(int64_t input, int64_t output, bool align_corners, bool half_pixels) {
    ResizeScale scale;
    scale.half_pixel_centers = half_pixels;
    scale.factor = align_corners && output > 1
                       ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                       : static_cast<float>(input) / static_cast<float>(output);
    return scale;
  }
  // In float, as its places decide between pixels.
  float Place(int64_t x) const {
    const float f = static_cast<float>(factor);
    if (!half_pixel_centers) return static_cast<float>(x) * f;
    return (static_cast<float>(x) + 0.5f) * f - 0.5f;
  }
};

struct ResizeSettings {
  bool align_corners = false;
  bool half_pixel_centers = false;

  Status Read(const OpKernelConstruction& construction) {
    ASSIGN_OR_RETURN(align_corners, construction.Attr<bool>("align_corners"));
    ASSIGN_OR_RETURN(half_pixel_centers, construction.Attr<bool>("half_pixel_centers"));
    if (!align_corners || !half_pixel_centers) return OkStatus();
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  }
};

// An image seen as [batch, rows, cols, channels], and the rows and columns that it gets.
struct ResizeSizes {
  int64_t batch = 0, channels = 0;
  int64_t in_rows = 0, in_cols = 0, out_rows = 0, out_cols = 0;
  ResizeScale rows, cols;

  Shape input() const { return Shape{batch, in_rows, in_cols, channels}; }
  Shape output() const { return Shape{batch, out_rows, out_cols, channels}; }

  static Result<ResizeSizes> Make(const Shape& images, int64_t rows, int64_t cols,
                                  const ResizeSettings& settings) {
    if (images.rank() != 4) return InvalidArgument("images must be 4-dimensional: ", images);
    if (rows <= 0 || cols <= 0) return InvalidArgument("output dimensions must be positive");
    if (images.dim(1) < 1 || images.dim(2) < 1) {
      return InvalidArgument("input image must be of non-zero size");
    }
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

}  // namespace tfbuild
