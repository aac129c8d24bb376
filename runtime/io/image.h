#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/status.h"

namespace tfbuild {

// What the readers of image files share. A reader knows the size before the pixels, and asks for
// memory only for as many as the file can hold: kMostPixels and as many to each byte of the file as
// its format allows at best.

struct ImageSize {
  int64_t frames = 1, height = 0, width = 0, channels = 0;
};

// Gives memory for all pixels of an image, rows of pixels of channels.
using MakePixels = std::function<Result<void*>(const ImageSize& size)>;

constexpr int64_t kMostPixels = (int64_t{1} << 29) - 1;

enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp };

// By the first bytes of a file.
inline ImageFormat ImageFormatOf(std::string_view bytes) {
  const auto begins = [bytes](std::string_view with) { return bytes.substr(0, with.size()) == with; };
  if (begins("\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (begins("\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (begins("GIF8")) return ImageFormat::kGif;
  return begins("BM") ? ImageFormat::kBmp : ImageFormat::kUnknown;
}

inline uint32_t Little(std::string_view bytes, size_t at, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= uint32_t{static_cast<uint8_t>(bytes[at + static_cast<size_t>(i)])} << (8 * i);
  }
  return value;
}

}  // namespace tfbuild
