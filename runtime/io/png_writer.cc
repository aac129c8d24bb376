#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "io/png.h"
#include "io/zlib.h"

namespace tfbuild {
namespace {

constexpr size_t kChunkBytes = 8192;  // as libpng cuts it, so that files are the same to the byte
constexpr int64_t kMost = (int64_t{1} << 31) - 1;

void AppendBig32(std::string* out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift));
}

Status AppendChunk(std::string* out, const std::string& type, std::string_view data) {
  AppendBig32(out, static_cast<uint32_t>(data.size()));
  std::string chunk = type;
  chunk += data;
  *out += chunk;
  ASSIGN_OR_RETURN(const uint32_t crc, ZlibCrc32(chunk));
  AppendBig32(out, crc);
  return OkStatus();
}

// Writes the differences of a row from what `predict` makes of the bytes to the left, above and
// between, and returns the sum of their sizes.
template <typename Predict>
uint64_t Differences(const uint8_t* row, const uint8_t* above, size_t bytes, size_t step, uint8_t* out,
                     const Predict& predict) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; ++i) {
    const int predicted = predict(*(row + i - step), above[i], *(above + i - step));
    const uint8_t difference = static_cast<uint8_t>(row[i] - predicted);
    out[i] = difference;
    sum += difference < 128 ? difference : 256u - difference;
  }
  return sum;
}

// Rows as differences from what a filter predicts, each by the filter whose differences are smallest,
// which is what compresses best more often than not.
class Filters {
 public:
  Filters(size_t bytes, size_t step) : bytes_(bytes), step_(step), row_(bytes + step),
      above_(bytes + step), best_(bytes + 1), candidate_(bytes + 1) {}

  // Where the next row is put; before it lie zeros, as many as a pixel has bytes.
  uint8_t* row() { return row_.data() + step_; }

  void AppendRow(std::string* out) {
    least_ = std::numeric_limits<uint64_t>::max();
    Try(0, [](int, int, int) { return 0; });
    Try(1, [](int left, int, int) { return left; });
    Try(2, [](int, int above, int) { return above; });
    Try(3, [](int left, int above, int) { return (left + above) / 2; });
    Try(4, [](int left, int above, int corner) { return Paeth(left, above, corner); });
    out->append(reinterpret_cast<const char*>(best_.data()), best_.size());
    row_.swap(above_);
  }

 private:
  template <typename Predict>
  void Try(uint8_t filter, const Predict& predict) {
    candidate_[0] = filter;
    const uint64_t sum = Differences(row_.data() + step_, above_.data() + step_, bytes_, step_,
                                     candidate_.data() + 1, predict);
    if (sum >= least_) return;
    least_ = sum;
    best_.swap(candidate_);
  }

  const size_t bytes_, step_;
  std::vector<uint8_t> row_, above_, best_, candidate_;
  uint64_t least_ = 0;
};

// 16 bits lie with the larger half first.
void CopyRow(const uint8_t* from, size_t bytes, int bits, uint8_t* to) {
  if (bits == 8) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (size_t i = 0; i < bytes; i += 2) {
    uint16_t value;
    std::memcpy(&value, from + i, 2);
    to[i] = static_cast<uint8_t>(value >> 8);
    to[i + 1] = static_cast<uint8_t>(value);
  }
}

}  // namespace

Result<std::string> EncodePng(const void* pixels, const ImageSize& size, int bits, int level) {
  if (size.height < 1 || size.width < 1 || size.height > kMost || size.width > kMost ||
      size.channels < 1 || size.channels > 4) {
    return InvalidArgument("no PNG has ", size.height, " rows of ", size.width, " pixels of ",
                           size.channels, " channels");
  }
  const size_t step = static_cast<size_t>(size.channels * bits / 8);
  const size_t bytes = static_cast<size_t>(size.width) * step;
  std::string rows;
  Filters filters(bytes, step);
  for (int64_t y = 0; y < size.height; ++y) {
    ThrowIfStopped();
    CopyRow(static_cast<const uint8_t*>(pixels) + static_cast<size_t>(y) * bytes, bytes, bits,
            filters.row());
    filters.AppendRow(&rows);
  }
  constexpr char kColourTypes[] = {0, 4, 2, 6};
  std::string header;
  AppendBig32(&header, static_cast<uint32_t>(size.width));
  AppendBig32(&header, static_cast<uint32_t>(size.height));
  header += static_cast<char>(bits);
  header += kColourTypes[size.channels - 1];
  header.append(3, '\0');  // the only compression, the only filters, no interlacing
  ASSIGN_OR_RETURN(const std::string compressed, CompressDifferences(rows, level));
  if (compressed.size() > static_cast<size_t>(kMost)) return InvalidArgument("the image is too large");
  std::string png = "\x89PNG\r\n\x1a\n";
  RETURN_IF_ERROR(AppendChunk(&png, "IHDR", header));
  std::string_view rest = compressed;
  do {
    RETURN_IF_ERROR(AppendChunk(&png, "IDAT", rest.substr(0, kChunkBytes)));
    rest.remove_prefix(std::min(rest.size(), kChunkBytes));
  } while (!rest.empty());
  RETURN_IF_ERROR(AppendChunk(&png, "IEND", ""));
  return png;
}

}  // namespace tfbuild
