#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "base/stop.h"
#include "kernels/framework/vector_target.h"
#include "kernels/nn/conv_dimensions.h"

namespace tfbuild {

// NaN is larger than every number, so that it reaches the result from wherever it is.
template <typename C>
TFBUILD_ALWAYS_INLINE bool IsLarger(C value, C best) {
  return !(value <= best) & (best == best);
}

// Looks about once in kInputs inputs of windows whether the work of this thread must end.
class PoolLook {
 public:
  // inputs: of a window, at most.
  explicit PoolLook(int64_t inputs) : windows_(kInputs / std::max<int64_t>(inputs, 1) + 1) {}
  TFBUILD_ALWAYS_INLINE void Window() {
    if (--left_ > 0) return;
    ThrowIfStopped();
    left_ = windows_;
  }

 private:
  static constexpr int64_t kInputs = 1 << 16;
  int64_t windows_;  // between two looks
  int64_t left_ = windows_;
};

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

  // Calls Pooling::Window(windows, place, args...) for each window, in the machine code for this
  // processor; windows of different images and of different blocks of channels, which share no
  // input, in parallel. T is what is pooled.
  template <typename Pooling, typename T, typename... Args>
  void ForEach(Args... args) const {
    ForEachImage<Pooling, T>([](int64_t, int64_t) {}, args...);
  }

  // As ForEach(args..., sums), for sums of what each window gives to its inputs: those of an image
  // and block of channels are 0 before its first window, unless the windows are tiles.
  template <typename Pooling, typename T, typename C, typename... Args>
  void ForEachInto(C* sums, Args... args) const {
    if (rows_.output == 0 || cols_.output == 0) {
      ParallelFill(sums, images_ * rows_.input * cols_.input * channels_, C(0));
      return;
    }
    if (AreTiles()) return ForEach<Pooling, T>(args..., sums);
    ForEachImage<Pooling, T>(
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
        args..., sums);
  }

 private:
  static bool IsTiled(const Window& window) {
    return window.stride == window.filter && window.pad_before == 0 &&
           window.output * window.stride >= window.input;
  }

  static constexpr int64_t kGrain = 8192;  // inputs looked at that are worth a thread

  template <typename Pooling, typename T, typename Before, typename... Args>
  void ForEachImage(const Before& before, Args... args) const {
    const int64_t blocks = (channels_ + kBlock - 1) / kBlock;
    const int64_t work = rows_.output * cols_.output * rows_.filter * cols_.filter *
                         std::min(channels_, kBlock);
    const int64_t grain = kGrain / std::max<int64_t>(work, 1) + 1;
    ParallelFor(images_ * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Place start = StartOf(i / blocks, i % blocks * kBlock);
        before(start.input, start.count);
        RunVectorised<ImageLoop<Pooling>, T>(this, &start, args...);
      }
    });
  }

  // All windows of an image for one block of channels: a call for each would cost as much as a
  // small window.
  template <typename Pooling>
  struct ImageLoop {
    template <int kVectorBytes, typename... Args>
    static TFBUILD_ALWAYS_INLINE void Run(const PoolWindows* windows, const Place* start,
                                          Args... args) {
      windows->ForEachPlace(*start, [&](const Place& place) TFBUILD_INLINE_BODY {
        Pooling::Window(*windows, place, args...);
      });
    }
  };

  // What the places of all windows of an image have in common, with the output of the first.
  Place StartOf(int64_t image, int64_t channel) const {
    Place place{};
    place.output = image * rows_.output * cols_.output * channels_ + channel;
    place.input = image * rows_.input * cols_.input * channels_ + channel;
    place.count = std::min(kBlock, channels_ - channel);
    return place;
  }

  template <typename Body>
  TFBUILD_ALWAYS_INLINE void ForEachPlace(Place place, const Body& body) const {
    PoolLook look(std::min(rows_.filter, rows_.input) * std::min(cols_.filter, cols_.input) *
                  place.count);
    for (int64_t row = 0; row < rows_.output; ++row) {
      const int64_t top = row * rows_.stride - rows_.pad_before;
      place.row_begin = std::max<int64_t>(top, 0);
      place.row_end = std::max(place.row_begin, std::min(top + rows_.filter, rows_.input));
      for (int64_t col = 0; col < cols_.output; ++col) {
        const int64_t left = col * cols_.stride - cols_.pad_before;
        place.col_begin = std::max<int64_t>(left, 0);
        place.col_end = std::max(place.col_begin, std::min(left + cols_.filter, cols_.input));
        look.Window();
        body(place);
        place.output += channels_;
      }
    }
  }

  Window rows_, cols_;
  int64_t images_, channels_;
};

// Calls body(offset) for each input pixel under a window; a lambda with TFBUILD_INLINE_BODY.
template <typename Body>
TFBUILD_ALWAYS_INLINE void ForEachPixel(const PoolWindows& windows, const PoolWindows::Place& place,
                                        const Body& body) {
  for (int64_t row = place.row_begin; row < place.row_end; ++row) {
    for (int64_t col = place.col_begin; col < place.col_end; ++col) {
      body(place.input + windows.Pixel(row, col));
    }
  }
}

// The pixels of a square window whose size the compiler knows.
template <int kSide>
struct FixedPixels {
  static constexpr int kCount = kSide * kSide;
  int64_t at[kCount];

  TFBUILD_ALWAYS_INLINE FixedPixels(const PoolWindows& windows, const PoolWindows::Place& place) {
    for (int i = 0; i < kCount; ++i) {
      at[i] = place.input +
              windows.Pixel(place.row_begin + i / kSide, place.col_begin + i % kSide);
    }
  }
};

// Calls body(FixedPixels) and returns true if the window has one of these sizes: a loop over
// channels that looks at all pixels of one before the next has no state in memory.
template <int... kSides, typename Body>
TFBUILD_ALWAYS_INLINE bool WithFixedPixels(const PoolWindows& windows,
                                           const PoolWindows::Place& place, const Body& body) {
  const int64_t rows = place.row_end - place.row_begin;
  const int64_t cols = place.col_end - place.col_begin;
  return ((rows == kSides && cols == kSides &&
           (body(FixedPixels<kSides>(windows, place)), true)) || ...);
}

}  // namespace tfbuild
