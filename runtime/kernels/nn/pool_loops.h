#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"
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
    images_ *= channels_;
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
  int64_t Pixel(int64_t row, int64_t col) const { return (row * cols_.input + col) * channels_; }

  // Calls body(place) for each window; windows of different images and of different blocks of
  // channels, which share no input, in parallel.
  template <typename Body>
  void ForEach(const Body& body) const {
    const int64_t blocks = (channels_ + kBlock - 1) / kBlock;
    const int64_t work = rows_.output * cols_.output * rows_.filter * cols_.filter *
                         std::min(channels_, kBlock);
    const int64_t grain = kGrain / std::max<int64_t>(work, 1) + 1;
    ParallelFor(images_ * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) OneImage(i / blocks, i % blocks * kBlock, body);
    });
  }

 private:
  static constexpr int64_t kGrain = 16384;  // inputs looked at that are worth a thread

  template <typename Body>
  void OneImage(int64_t image, int64_t channel, const Body& body) const {
    Place place;
    place.count = std::min(kBlock, channels_ - channel);
    place.input = image * rows_.input * cols_.input * channels_ + channel;
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

// Calls body(offset) for each input pixel under a window.
template <typename Body>
void ForEachPixel(const PoolWindows& windows, const PoolWindows::Place& place, const Body& body) {
  for (int64_t row = place.row_begin; row < place.row_end; ++row) {
    for (int64_t col = place.col_begin; col < place.col_end; ++col) {
      body(place.input + windows.Pixel(row, col));
    }
  }
}

}  // namespace tfbuild
