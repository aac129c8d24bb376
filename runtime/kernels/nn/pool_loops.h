#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"
#include "kernels/framework/vector_target.h"
#include "kernels/nn/conv_dimensions.h"

namespace tfbuild {

// The windows of a pooling over images with channels last. Channels first are the same with as many
// images of one channel.
class PoolWindows {
 public:
  // Channels are worked on in blocks whose state fits in registers and the nearest cache.
  static constexpr int64_t kBlock = 64;

  explicit PoolWindows(const PoolDimensions& dims)
      : rows_(dims.rows), cols_(dims.cols), images_(dims.batch), channels_(dims.channels) {
    if (dims.format != DataFormat::kNCHW) return;
    // Of an empty tensor the other dimensions need not have a product.
    images_ = rows_.input == 0 || cols_.input == 0 ? 0 : images_ * channels_;
    channels_ = 1;
  }

  // One window: where its outputs are, which inputs it covers, for `count` channels.
  struct Place {
    int64_t output;                    // of the first channel
    int64_t input;                     // of the image's first pixel and the first channel
    int64_t row_begin, row_end, col_begin, col_end;
    int64_t count;

    int64_t covered() const { return (row_end - row_begin) * (col_end - col_begin); }
  };

  int64_t channels() const { return channels_; }
  // Offset of an input pixel from Place::input.
  TFBUILD_ALWAYS_INLINE int64_t Pixel(int64_t row, int64_t col) const {
    return (row * cols_.input + col) * channels_;
  }

  // Whether each input lies under one window and no more.
  bool AreTiles() const { return IsTiled(rows_) && IsTiled(cols_); }

  // Calls body(place) for each window; windows of different images and of different blocks of
  // channels, which share no input, in parallel.
  template <typename Body>
  void ForEach(const Body& body) const {
    ForEachImage([](int64_t, int64_t) {}, body);
  }

  // As ForEach, for sums of what each window gives to its inputs: those of an image and block of
  // channels are 0 before its first window, unless the windows are tiles.
  template <typename C, typename Body>
  void ForEachInto(C* sums, const Body& body) const {
    if (rows_.output == 0 || cols_.output == 0) {
      std::fill_n(sums, images_ * rows_.input * cols_.input * channels_, C(0));
      return;
    }
    if (AreTiles()) return ForEach(body);
    ForEachImage(
        [this, sums](int64_t first, int64_t count) {
          const int64_t pixels = rows_.input * cols_.input;
          if (count == channels_) {
            std::fill_n(sums + first, pixels * count, C(0));
            return;
          }
          for (int64_t i = 0; i < pixels; ++i) {
            std::fill_n(sums + first + i * channels_, count, C(0));
          }
        },
        body);
  }

 private:
  static bool IsTiled(const Window& window) {
    return window.stride == window.filter && window.pad_before == 0 &&
           window.output * window.stride >= window.input;
  }

  static constexpr int64_t kGrain = 8192;  // inputs looked at that are worth a thread

  template <typename Before, typename Body>
  void ForEachImage(const Before& before, const Body& body) const {
    const int64_t blocks = (channels_ + kBlock - 1) / kBlock;
    const int64_t work = rows_.output * cols_.output * rows_.filter * cols_.filter *
                         std::min(channels_, kBlock);
    const int64_t grain = kGrain / std::max<int64_t>(work, 1) + 1;
    ParallelFor(images_ * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) OneImage(i / blocks, i % blocks * kBlock, before, body);
    });
  }

  template <typename Before, typename Body>
  void OneImage(int64_t image, int64_t channel, const Before& before, const Body& body) const {
    Place place;
    place.count = std::min(kBlock, channels_ - channel);
    place.input = image * rows_.input * cols_.input * channels_ + channel;
    before(place.input, place.count);
    for (int64_t row = 0; row < rows_.output; ++row) {
      const int64_t top = row * rows_.stride - rows_.pad_before;
      place.row_begin = std::max<int64_t>(top, 0);
      place.row_end = std::max(place.row_begin, std::min(top + rows_.filter, rows_.input));
      for (int64_t col = 0; col < cols_.output; ++col) {
        const int64_t left = col * cols_.stride - cols_.pad_before;
        place.col_begin = std::max<int64_t>(left, 0);
        place.col_end = std::max(place.col_begin, std::min(left + cols_.filter, cols_.input));
        place.output =
            ((image * rows_.output + row) * cols_.output + col) * channels_ + channel;
        body(place);
      }
    }
  }

  Window rows_, cols_;
  int64_t images_, channels_;
};

// Calls body(offset) for each input pixel under a window. In a loop for RunVectorised the body is a
// lambda with TFBUILD_INLINE_BODY.
template <typename Body>
TFBUILD_ALWAYS_INLINE void ForEachPixel(const PoolWindows& windows, const PoolWindows::Place& place,
                                        const Body& body) {
  for (int64_t row = place.row_begin; row < place.row_end; ++row) {
    for (int64_t col = place.col_begin; col < place.col_end; ++col) {
      body(place.input + windows.Pixel(row, col));
    }
  }
}

}  // namespace tfbuild
