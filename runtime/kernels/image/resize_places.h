#pragma once

// Where the pixels of a resized image lie in the image, for the host and for GPUs: in float, as its
// places decide between pixels, and never with a product and a sum in one operation.

#include <cmath>
#include <cstdint>

#include "kernels/framework/host_device.h"

namespace tfbuild {

TFBUILD_HOST_DEVICE inline float RoundedProduct(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

TFBUILD_HOST_DEVICE inline int64_t PixelWithin(float place, int64_t size) {
  const int64_t pixel = static_cast<int64_t>(place);
  return pixel < 0 ? 0 : pixel >= size ? size - 1 : pixel;
}

// Along one direction.
struct ResizeScale {
  float factor = 1;
  bool half_pixel_centers = false;
  bool align_corners = false;

  static ResizeScale Make(int64_t input, int64_t output, bool align_corners, bool half_pixels) {
    ResizeScale scale;
    scale.half_pixel_centers = half_pixels;
    scale.align_corners = align_corners;
    scale.factor = align_corners && output > 1
                       ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                       : static_cast<float>(input) / static_cast<float>(output);
    return scale;
  }
  TFBUILD_HOST_DEVICE float Place(int64_t x) const {
    if (!half_pixel_centers) return RoundedProduct(static_cast<float>(x), factor);
    return RoundedProduct(static_cast<float>(x) + 0.5f, factor) - 0.5f;
  }
  // The pixel of an image of that size that is nearest to pixel x of the result.
  TFBUILD_HOST_DEVICE int64_t Nearest(int64_t x, int64_t size) const {
    const float from = half_pixel_centers ? static_cast<float>(x) + 0.5f : static_cast<float>(x);
    const float place = RoundedProduct(from, factor);
    return PixelWithin(align_corners ? std::round(place) : std::floor(place), size);
  }
};

// The two pixels that a place lies between, and how far it is from the first.
struct Between {
  int64_t lower = 0, upper = 0;
  float share = 0;

  TFBUILD_HOST_DEVICE Between(const ResizeScale& scale, int64_t x, int64_t size) {
    const float place = scale.Place(x);
    const float below = std::floor(place);
    // A float may be rounded to a place beyond the last pixel.
    lower = PixelWithin(below, size);
    upper = PixelWithin(std::ceil(place), size);
    share = place - below;
  }
};

}  // namespace tfbuild
