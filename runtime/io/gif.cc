#include "io/gif.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/stop_look.h"

namespace tfbuild {
namespace {

constexpr int kMostCodes = 4096;
constexpr size_t kHeader = 13;
constexpr int64_t kMostBytes = int64_t{1} << 29;  // of all frames together
constexpr int64_t kMostOfByte = kMostCodes;       // pixels that one byte may stand for

// A position in the file; what lies beyond the end is shown by `cut_off`.
struct Cursor {
  std::string_view bytes;
  size_t at = 0;
  bool cut_off = false;

  uint32_t Take(int count) {
    const size_t wanted = static_cast<size_t>(count);
    if (bytes.size() - at < wanted) {
      cut_off = true;
      at = bytes.size();
      return 0;
    }
    at += wanted;
    return Little(bytes, at - wanted, count);
  }
  std::string_view TakeBytes(size_t count) {
    const std::string_view taken = bytes.substr(at, count);
    cut_off = cut_off || taken.size() < count;
    at += taken.size();
    return taken;
  }
  // The next of the blocks that end with an empty one.
  std::string_view TakeBlock() { return TakeBytes(Take(1)); }
  void SkipBlocks() {
    while (!TakeBlock().empty() && !cut_off) {
    }
  }
};

struct Frame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  bool interlaced = false;
  std::string_view palette;
  int transparent = -1;
  size_t data = 0;  // where its compressed numbers begin
};

// Numbers of growing length, each a known sequence of indices with one more.
class Lzw {
 public:
  Lzw(Cursor* cursor, int bits) : cursor_(cursor), bits_(bits), clear_(1 << bits) { Clear(); }

  // Appends up to `count` indices and returns how many there were.
  size_t Read(uint8_t* to, size_t count) {
    size_t read = 0;
    while (read < count) {
      look_.Turn();
      const int code = NextCode();
      if (code < 0 || code == clear_ + 1) break;
      if (code == clear_) {
        Clear();
        continue;
      }
      if (!Emit(code, to, count, &read)) break;
    }
    return read;
  }

 private:
  void Clear() {
    next_ = clear_ + 2;
    width_ = bits_ + 1;
    previous_ = -1;
  }

  int NextCode() {
    while (held_ < width_) {
      if (block_.empty()) block_ = cursor_->TakeBlock();
      if (block_.empty()) return -1;
      buffer_ |= uint32_t{static_cast<uint8_t>(block_[0])} << held_;
      block_.remove_prefix(1);
      held_ += 8;
    }
    const int code = static_cast<int>(buffer_ & ((uint32_t{1} << width_) - 1));
    buffer_ >>= width_;
    held_ -= width_;
    return code;
  }

  // The sequence of a code is written backwards, from its last index.
  bool Emit(int code, uint8_t* to, size_t count, size_t* read) {
    if (code > next_ || (code == next_ && previous_ < 0)) return false;
    uint8_t stack[kMostCodes + 1];
    int depth = 0;
    int walk = code;
    if (code == next_) {  // the sequence before with its own first index behind it
      stack[depth++] = first_;
      walk = previous_;
    }
    while (walk >= clear_) {
      stack[depth++] = last_[walk];
      walk = before_[walk];
    }
    first_ = static_cast<uint8_t>(walk);
    stack[depth++] = first_;
    while (depth > 0 && *read < count) to[(*read)++] = stack[--depth];
    if (previous_ >= 0 && next_ < kMostCodes) {
      before_[next_] = static_cast<int16_t>(previous_);
      last_[next_] = first_;
      ++next_;
      if (next_ == 1 << width_ && width_ < 12) ++width_;
    }
    previous_ = code;
    return true;
  }

  Cursor* cursor_;
  const int bits_, clear_;
  int next_ = 0, width_ = 0, previous_ = -1, held_ = 0;
  uint32_t buffer_ = 0;
  uint8_t first_ = 0;
  std::string_view block_;
  StopLook look_;
  int16_t before_[kMostCodes];
  uint8_t last_[kMostCodes];
};

// The frames whose beginnings are there.
std::vector<Frame> FindFrames(std::string_view bytes) {
  Cursor cursor{bytes, 6};
  cursor.Take(4);  // the size of the screen: TensorFlow goes by the frames
  const uint32_t screen = cursor.Take(1);
  cursor.Take(2);
  std::string_view common;
  if (screen & 0x80) common = cursor.TakeBytes(size_t{3} << ((screen & 7) + 1));
  std::vector<Frame> frames;
  int transparent = -1;
  while (!cursor.cut_off) {
    const uint32_t kind = cursor.Take(1);
    if (kind == 0x21) {
      const uint32_t label = cursor.Take(1);
      if (label == 0xF9) {
        const std::string_view control = cursor.TakeBlock();
        transparent = control.size() >= 4 && control[0] & 1 ? static_cast<uint8_t>(control[3]) : -1;
        if (control.empty()) continue;
      }
      cursor.SkipBlocks();
      continue;
    }
    if (kind != 0x2C) break;  // the end, or what is none
    Frame frame;
    frame.left = cursor.Take(2);
    frame.top = cursor.Take(2);
    frame.width = cursor.Take(2);
    frame.height = cursor.Take(2);
    const uint32_t flags = cursor.Take(1);
    frame.interlaced = flags & 0x40;
    frame.palette = flags & 0x80 ? cursor.TakeBytes(size_t{3} << ((flags & 7) + 1)) : common;
    frame.transparent = transparent;
    frame.data = cursor.at;
    transparent = -1;
    if (cursor.cut_off || frame.width == 0 || frame.height == 0) break;
    cursor.Take(1);
    cursor.SkipBlocks();
    frames.push_back(frame);
  }
  return frames;
}

// The rows in the order of the picture, where they come in four passes; a sequence of the compressed
// indices may reach from one row into the next. `left` of them are there.
std::vector<uint8_t> Ordered(const std::vector<uint8_t>& sent, size_t left, const Frame& frame) {
  constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  const size_t width = static_cast<size_t>(frame.width);
  std::vector<uint8_t> rows(sent.size());
  const uint8_t* from = sent.data();
  for (int pass = 0; pass < 4; ++pass) {
    for (int64_t y = kFirst[pass]; y < frame.height; y += kStep[pass]) {
      const size_t count = std::min(width, left);
      std::copy_n(from, count, rows.data() + static_cast<size_t>(y) * width);
      from += count;
      left -= count;
    }
  }
  return rows;
}

std::vector<uint8_t> ReadIndices(std::string_view bytes, const Frame& frame) {
  std::vector<uint8_t> indices(static_cast<size_t>(frame.width * frame.height));
  Cursor cursor{bytes, frame.data};
  const int bits = static_cast<int>(cursor.Take(1));
  if (bits < 1 || bits > 8) return indices;
  const auto lzw = std::make_unique<Lzw>(&cursor, bits);  // too large for small stacks
  const size_t left = lzw->Read(indices.data(), indices.size());
  return frame.interlaced ? Ordered(indices, left, frame) : indices;
}

// Puts the frame's colours over what is there.
Status Draw(const Frame& frame, const std::vector<uint8_t>& indices, const ImageSize& size,
            uint8_t* pixels) {
  const int64_t right = std::min(frame.left + frame.width, size.width);
  const int64_t bottom = std::min(frame.top + frame.height, size.height);
  const size_t colours = frame.palette.size() / 3;
  for (int64_t y = frame.top; y < bottom; ++y) {
    ThrowIfStopped();
    const uint8_t* from = indices.data() + (y - frame.top) * frame.width;
    uint8_t* to = pixels + (y * size.width + frame.left) * 3;
    for (int64_t x = frame.left; x < right; ++x, to += 3) {
      const size_t index = *from++;
      if (static_cast<int>(index) == frame.transparent) continue;
      if (index >= colours) {
        return InvalidArgument("found color index ", index, " outside of color map range ", colours);
      }
      std::memcpy(to, frame.palette.data() + index * 3, 3);
    }
  }
  return OkStatus();
}

}  // namespace

Status DecodeGif(std::string_view bytes, bool only_first, const MakePixels& make) {
  if (ImageFormatOf(bytes) != ImageFormat::kGif || bytes.size() < kHeader) {
    return InvalidArgument("Invalid GIF data: no GIF");
  }
  const std::vector<Frame> frames = FindFrames(bytes);
  if (frames.empty()) return InvalidArgument("Invalid GIF data: no frame is there");
  ImageSize size;
  size.channels = 3;
  size.frames = only_first ? 1 : static_cast<int64_t>(frames.size());
  for (const Frame& frame : frames) {
    if (frame.width * frame.height / kMostOfByte > static_cast<int64_t>(bytes.size())) {
      return InvalidArgument("Image too large: ", bytes.size(), " bytes hold no frame of ",
                             frame.height, " rows of ", frame.width, " pixels");
    }
    size.height = std::max(size.height, frame.height);
    size.width = std::max(size.width, frame.width);
  }
  const int64_t frame_bytes = size.height * size.width * 3;
  if (frame_bytes > kMostBytes / size.frames) {
    return InvalidArgument("Image too large: ", size.frames, " frames of ", frame_bytes, " bytes");
  }
  ASSIGN_OR_RETURN(void* made, make(size));
  uint8_t* pixels = static_cast<uint8_t*>(made);
  for (int64_t i = 0; i < size.frames; ++i, pixels += frame_bytes) {
    const Frame& frame = frames[static_cast<size_t>(i)];
    if (frame.palette.empty()) return InvalidArgument("missing color map for frame ", i);
    if (i == 0) std::memset(pixels, 0, static_cast<size_t>(frame_bytes));
    if (i > 0) std::memcpy(pixels, pixels - frame_bytes, static_cast<size_t>(frame_bytes));
    RETURN_IF_ERROR(Draw(frame, ReadIndices(bytes, frame), size, pixels));
  }
  return OkStatus();
}

}  // namespace tfbuild
