#include "io/png.h"

#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "io/zlib.h"

namespace tfbuild {
namespace {

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

// The neighbour, of left, above and their corner, that is nearest to left + above - corner.
int Paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int by_left = std::abs(guess - left);
  const int by_above = std::abs(guess - above);
  const int by_corner = std::abs(guess - corner);
  if (by_left <= by_above && by_left <= by_corner) return left;
  return by_above <= by_corner ? above : corner;
}

constexpr int kFilters = 5;

int Predicted(int filter, int left, int above, int corner) {
  switch (filter) {
    case 1: return left;
    case 2: return above;
    case 3: return (left + above) / 2;
    case 4: return Paeth(left, above, corner);
    default: return 0;
  }
}

// Appends a row as differences from what a filter predicts: the filter whose differences are
// smallest, which is what compresses best more often than not.
void AppendRow(std::string* out, const uint8_t* row, const uint8_t* above, size_t bytes, size_t step) {
  std::string best;
  uint64_t least = std::numeric_limits<uint64_t>::max();
  std::string candidate(bytes + 1, '\0');
  for (int filter = 0; filter < kFilters; ++filter) {
    candidate[0] = static_cast<char>(filter);
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; ++i) {
      const int left = i >= step ? row[i - step] : 0;
      const int up = above != nullptr ? above[i] : 0;
      const int corner = above != nullptr && i >= step ? above[i - step] : 0;
      const uint8_t difference = static_cast<uint8_t>(row[i] - Predicted(filter, left, up, corner));
      candidate[i + 1] = static_cast<char>(difference);
      sum += static_cast<uint64_t>(std::abs(static_cast<int8_t>(difference)));
    }
    if (sum < least) {
      least = sum;
      best = candidate;
    }
  }
  *out += best;
}

}  // namespace

Result<std::string> EncodePng(const uint8_t* pixels, int64_t height, int64_t width, int channels) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  if (height < 1 || width < 1 || height > kMost || width > kMost || channels < 1 || channels > 4) {
    return InvalidArgument("no PNG has ", height, " rows of ", width, " pixels of ", channels,
                           " channels");
  }
  const size_t step = static_cast<size_t>(channels);
  const size_t bytes = static_cast<size_t>(width) * step;
  std::string rows;
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t* row = pixels + static_cast<size_t>(y) * bytes;
    AppendRow(&rows, row, y > 0 ? row - bytes : nullptr, bytes, step);
  }
  constexpr char kColourTypes[] = {0, 4, 2, 6};
  std::string header;
  AppendBig32(&header, static_cast<uint32_t>(width));
  AppendBig32(&header, static_cast<uint32_t>(height));
  header += '\x08';  // bits
  header += kColourTypes[channels - 1];
  header.append(3, '\0');  // the only compression, the only filters, no interlacing
  ASSIGN_OR_RETURN(const std::string compressed, CompressBytes(rows));
  if (compressed.size() > static_cast<size_t>(kMost)) return InvalidArgument("the image is too large");
  std::string png = "\x89PNG\r\n\x1a\n";
  RETURN_IF_ERROR(AppendChunk(&png, "IHDR", header));
  RETURN_IF_ERROR(AppendChunk(&png, "IDAT", compressed));
  RETURN_IF_ERROR(AppendChunk(&png, "IEND", ""));
  return png;
}

}  // namespace tfbuild
