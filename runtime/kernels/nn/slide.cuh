#pragma once

#include "kernels/framework/cuda_launch.cuh"
#include "kernels/nn/conv_dimensions.h"

namespace tfbuild {

// How the window of a pooling slides along one spatial dimension.
struct Slide {
  int64_t input;
  int64_t output;
  int64_t filter;
  Divider stride;
  int64_t pad;

  // The part of window `at` that lies on the input: [begin, end).
  __device__ int64_t Begin(int64_t at) const { return max(int64_t{0}, at * stride.size - pad); }
  __device__ int64_t End(int64_t at) const { return min(input, at * stride.size - pad + filter); }
  // The windows that cover place `at` of the input: [first, last].
  __device__ int64_t First(int64_t at) const {
    const int64_t beyond = at + pad - filter;
    return beyond < 0 ? 0 : stride.Quotient(beyond) + 1;
  }
  __device__ int64_t Last(int64_t at) const { return min(output - 1, stride.Quotient(at + pad)); }
};

inline Slide MakeSlide(const Window& window) {
  return {window.input, window.output, window.filter, Divider(window.stride),
          window.pad_before};
}

}  // namespace tfbuild
