#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

// A window that slides over volumes, by its definition, for tests.
struct VolumeCase {
  using Three = std::array<int64_t, 3>;  // depth, rows, columns

  int64_t batch = 2, channels = 3;
  Three sizes = {4, 5, 6}, window = {2, 3, 2}, strides = {1, 1, 1}, dilations = {1, 1, 1};
  std::string padding = "SAME", format = "NDHWC";

  bool last() const { return format == "NDHWC"; }
  Shape Volumes(const Three& s, int64_t depth) const {
    return last() ? Shape{batch, s[0], s[1], s[2], depth} : Shape{batch, depth, s[0], s[1], s[2]};
  }
  std::vector<int64_t> PerDimension(const Three& s) const {
    return last() ? std::vector<int64_t>{1, s[0], s[1], s[2], 1}
                  : std::vector<int64_t>{1, 1, s[0], s[1], s[2]};
  }
  int64_t Reach(size_t i) const { return (window[i] - 1) * dilations[i] + 1; }
  Three Outputs() const {
    Three outputs;
    for (size_t i = 0; i < 3; ++i) {
      outputs[i] = padding == "SAME" ? (sizes[i] + strides[i] - 1) / strides[i]
                                     : (sizes[i] - Reach(i)) / strides[i] + 1;
    }
    return outputs;
  }
  Shape Input() const { return Volumes(sizes, channels); }

  // Where the element of a channel of a pixel is.
  size_t At(const Three& s, int64_t depth, int64_t b, const Three& at, int64_t channel) const {
    const int64_t pixel = (at[0] * s[1] + at[1]) * s[2] + at[2];
    const int64_t pixels = s[0] * s[1] * s[2];
    return static_cast<size_t>(last() ? (b * pixels + pixel) * depth + channel
                                      : (b * depth + channel) * pixels + pixel);
  }

  template <typename Body>
  static void ForEach(const Three& s, const Body& body) {
    for (int64_t z = 0; z < s[0]; ++z)
      for (int64_t y = 0; y < s[1]; ++y)
        for (int64_t x = 0; x < s[2]; ++x) body(Three{z, y, x});
  }

  // Calls body(volume, output, place of the window, place of the input) where that is inside.
  template <typename Body>
  void ForEachPlace(const Body& body) const {
    const Three outputs = Outputs();
    Three before{};
    for (size_t i = 0; i < 3 && padding == "SAME"; ++i) {
      before[i] = std::max<int64_t>(0, (outputs[i] - 1) * strides[i] + Reach(i) - sizes[i]) / 2;
    }
    for (int64_t b = 0; b < batch; ++b) {
      ForEach(outputs, [&](const Three& out) {
        ForEach(window, [&](const Three& place) {
          Three in;
          for (size_t i = 0; i < 3; ++i) {
            in[i] = out[i] * strides[i] + place[i] * dilations[i] - before[i];
            if (in[i] < 0 || in[i] >= sizes[i]) return;
          }
          body(b, out, place, in);
        });
      });
    }
  }
};

// Both layouts and paddings; windows that overlap, leave gaps, are a single place.
inline std::vector<VolumeCase> VolumeCases() {
  std::vector<VolumeCase> cases;
  for (const char* format : {"NDHWC", "NCDHW"}) {
    for (const char* padding : {"SAME", "VALID"}) {
      VolumeCase c;
      c.format = format;
      c.padding = padding;
      cases.push_back(c);
      c.strides = {2, 1, 3};
      cases.push_back(c);
      c.window = {1, 1, 1};
      c.strides = {2, 2, 2};
      cases.push_back(c);
    }
  }
  return cases;
}

}  // namespace testing
}  // namespace tfbuild
