#pragma once

// Convolutions by loops that add up in double, for both interfaces of cuDNN.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulation/elements.h"
#include "emulation/include/cudnn.h"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

// n, c, h, w of images; k, c, h, w of a filter.
struct cudnnTensorStruct {
  emulation::Element type = emulation::Element::kFloat;
  bool channels_last = false;
  int64_t size[4] = {};

  int64_t count() const { return size[0] * size[1] * size[2] * size[3]; }
  int64_t At(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return channels_last ? ((n * size[2] + h) * size[3] + w) * size[1] + c
                         : ((n * size[1] + c) * size[2] + h) * size[3] + w;
  }
};
struct cudnnFilterStruct : cudnnTensorStruct {};

struct cudnnConvolutionStruct {
  int64_t pad[2] = {};
  int64_t stride[2] = {};
  int64_t dilation[2] = {};
  int64_t groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace emulation {

inline Element ElementOf(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE: return Element::kDouble;
    case CUDNN_DATA_HALF: return Element::kHalf;
    case CUDNN_DATA_BFLOAT16: return Element::kBFloat16;
    default: return Element::kFloat;
  }
}

// The three arrays of a convolution, of which a caller reads two.
struct Task {
  cudnnTensorStruct input, filter, output;
  cudnnConvolutionStruct window;

  bool is_consistent() const {
    if (input.size[1] != filter.size[1] * window.groups || input.size[0] != output.size[0] ||
        filter.size[0] != output.size[1] || filter.size[0] % window.groups != 0) {
      return false;
    }
    for (int k = 0; k < 2; ++k) {
      const int64_t reach = (filter.size[2 + k] - 1) * window.dilation[k] + 1;
      const int64_t wanted =
          (input.size[2 + k] + 2 * window.pad[k] - reach) / window.stride[k] + 1;
      if (output.size[2 + k] != wanted) return false;
    }
    return true;
  }

  // Calls body(input index, filter index, output index) for each product.
  template <typename Body>
  void ForEach(const Body& body) const {
    const int64_t outs = filter.size[0] / window.groups;
    for (int64_t n = 0; n < output.size[0]; ++n)
      for (int64_t k = 0; k < output.size[1]; ++k)
        for (int64_t y = 0; y < output.size[2]; ++y)
          for (int64_t x = 0; x < output.size[3]; ++x)
            for (int64_t r = 0; r < filter.size[2]; ++r)
              for (int64_t s = 0; s < filter.size[3]; ++s) {
                const int64_t row = y * window.stride[0] + r * window.dilation[0] - window.pad[0];
                const int64_t col = x * window.stride[1] + s * window.dilation[1] - window.pad[1];
                if (row < 0 || row >= input.size[2] || col < 0 || col >= input.size[3]) continue;
                for (int64_t c = 0; c < filter.size[1]; ++c) {
                  const int64_t channel = k / outs * filter.size[1] + c;
                  body(static_cast<size_t>(input.At(n, channel, row, col)),
                       static_cast<size_t>(filter.At(k, c, r, s)),
                       static_cast<size_t>(output.At(n, k, y, x)));
                }
              }
  }
};

inline std::vector<double> ReadAll(const cudnnTensorStruct& tensor, const void* data) {
  std::vector<double> values(static_cast<size_t>(tensor.count()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = Read(tensor.type, data, static_cast<int64_t>(i));
  }
  return values;
}

// Memory that an algorithm writes over.
struct Workspace {
  void* data;
  size_t bytes;
};

}  // namespace emulation
