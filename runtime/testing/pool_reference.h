#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

// A pooling by its definition, for tests.
struct PoolCase {
  int64_t batch = 2, height = 7, width = 6, channels = 3;
  int64_t rows = 2, cols = 3, stride_rows = 2, stride_cols = 1;
  std::string padding = "SAME", format = "NHWC";

  bool last() const { return format == "NHWC"; }
  Shape Image(int64_t h, int64_t w) const {
    return last() ? Shape{batch, h, w, channels} : Shape{batch, channels, h, w};
  }
  Shape Input() const { return Image(height, width); }
  static int64_t OutputOf(bool same, int64_t input, int64_t window, int64_t stride) {
    return same ? (input + stride - 1) / stride : (input - window) / stride + 1;
  }
  Shape Output() const {
    return Image(OutputOf(padding == "SAME", height, rows, stride_rows),
                 OutputOf(padding == "SAME", width, cols, stride_cols));
  }
  std::vector<int64_t> PerDimension(int64_t h, int64_t w) const {
    return last() ? std::vector<int64_t>{1, h, w, 1} : std::vector<int64_t>{1, 1, h, w};
  }
  void SetAttrs(OpTest* test) const {
    test->Attr("ksize", PerDimension(rows, cols));
    test->Attr("strides", PerDimension(stride_rows, stride_cols));
    test->Attr("padding", padding).Attr("data_format", format);
  }

  size_t At(const Shape& image, int64_t b, int64_t y, int64_t x, int64_t c) const {
    const int64_t i = last() ? ((b * image.dim(1) + y) * image.dim(2) + x) * channels + c
                             : ((b * channels + c) * image.dim(2) + y) * image.dim(3) + x;
    return static_cast<size_t>(i);
  }

  // Calls body(output index, input indices) for each window.
  template <typename Body>
  void ForEachWindow(const Body& body) const {
    const Shape in = Input();
    const Shape out = Output();
    const int64_t out_height = out.dim(last() ? 1 : 2);
    const int64_t out_width = out.dim(last() ? 2 : 3);
    const auto before = [this](int64_t input, int64_t output, int64_t window, int64_t stride) {
      const int64_t needed = std::max<int64_t>(0, (output - 1) * stride + window - input);
      return padding == "SAME" ? needed / 2 : 0;
    };
    const int64_t top = before(height, out_height, rows, stride_rows);
    const int64_t left = before(width, out_width, cols, stride_cols);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t y = 0; y < out_height; ++y)
        for (int64_t x = 0; x < out_width; ++x)
          for (int64_t c = 0; c < channels; ++c) {
            std::vector<size_t> covered;
            for (int64_t p = 0; p < rows; ++p)
              for (int64_t q = 0; q < cols; ++q) {
                const int64_t row = y * stride_rows + p - top;
                const int64_t col = x * stride_cols + q - left;
                if (row < 0 || row >= height || col < 0 || col >= width) continue;
                covered.push_back(At(in, b, row, col, c));
              }
            body(At(out, b, y, x, c), covered);
          }
  }
};

// Both formats, both paddings, windows that overlap and windows that leave gaps, many channels.
inline std::vector<PoolCase> PoolCases() {
  std::vector<PoolCase> cases;
  for (const char* format : {"NHWC", "NCHW"}) {
    for (const char* padding : {"SAME", "VALID"}) {
      PoolCase c;
      c.format = format;
      c.padding = padding;
      cases.push_back(c);
      c.rows = c.cols = 1;
      c.stride_rows = c.stride_cols = 3;
      cases.push_back(c);
      c.rows = c.cols = 3;
      c.stride_rows = c.stride_cols = 2;
      c.channels = 70;
      cases.push_back(c);
      c.rows = c.cols = 2;
      cases.push_back(c);
      c.stride_rows = c.stride_cols = 1;
      cases.push_back(c);
    }
  }
  return cases;
}

}  // namespace testing
}  // namespace tfbuild
