#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/stop.h"
#include "io/png.h"
#include "io/bytes_input.h"
#include "io/zlib.h"

namespace tfbuild {
namespace {

constexpr int64_t kLongestSide = 1000000;  // libpng's
constexpr int64_t kMostOfDeflate = 1032;   // bytes that one compressed byte may stand for
constexpr size_t kBand = size_t{128} << 10;  // bytes that are decompressed at a time
enum ColourType { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgbAlpha = 6 };

uint32_t Big32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

Status Damaged(const char* what) { return InvalidArgument("Invalid PNG data: ", what); }

struct PngFile {
  int64_t width = 0, height = 0;
  int bits = 0, colour = 0;
  bool interlaced = false;
  std::string_view palette, transparency;
  double gamma = 0;  // 0: not said
  std::string compressed;

  bool has_colour() const { return colour & 2; }
  bool has_alpha() const { return colour & 4; }
  int samples() const { return colour == kPalette ? 1 : (has_colour() ? 3 : 1) + (has_alpha() ? 1 : 0); }
  int64_t RowBytes(int64_t pixels) const { return (pixels * samples() * bits + 7) / 8; }
};

Status ReadHeader(std::string_view data, PngFile* file) {
  if (data.size() != 13) return Damaged("its header has another size");
  file->width = Big32(data, 0);
  file->height = Big32(data, 4);
  file->bits = data[8];
  file->colour = data[9];
  file->interlaced = data[12] == 1;
  const int bits = file->bits;
  const bool is_whole = bits == 8 || bits == 16;
  const bool is_part = bits == 1 || bits == 2 || bits == 4;
  bool fits = false;
  switch (file->colour) {
    case kGrey: fits = is_whole || is_part; break;
    case kPalette: fits = is_part || bits == 8; break;
    case kRgb: case kGreyAlpha: case kRgbAlpha: fits = is_whole; break;
    default: break;
  }
  if (!fits || data[10] != 0 || data[11] != 0 || data[12] < 0 || data[12] > 1) {
    return Damaged("no such kind of image");
  }
  if (file->width < 1 || file->height < 1 || file->width > kLongestSide ||
      file->height > kLongestSide || file->width * file->height > kMostPixels) {
    return InvalidArgument("PNG size too large: ", file->height, " rows of ", file->width, " pixels");
  }
  return OkStatus();
}

bool IsCritical(std::string_view type) { return (type[0] & 0x20) == 0; }

Status TakeChunk(std::string_view type, std::string_view data, PngFile* file) {
  if (type == "IHDR" && file->bits != 0) return Damaged("it has two headers");
  if (type == "IHDR") return ReadHeader(data, file);
  if (file->bits == 0) return Damaged("it does not begin with its header");
  if (type == "PLTE") {
    if (data.size() % 3 != 0 || data.size() > 3 * 256) return Damaged("its palette has another size");
    if (file->colour == kPalette) file->palette = data;
  } else if (type == "IDAT") {
    file->compressed += data;
  } else if (type == "tRNS" && !file->has_alpha()) {
    const size_t least = file->colour == kRgb ? 6 : file->colour == kGrey ? 2 : 1;
    const size_t most = file->colour == kPalette ? file->palette.size() / 3 : least;
    if (data.size() >= least && data.size() <= most) file->transparency = data;
  } else if (type == "gAMA" && data.size() == 4) {
    file->gamma = Big32(data, 0) * 1e-5;
  } else if (type == "sRGB") {
    file->gamma = 0.45455;
  } else if (IsCritical(type) && type != "IEND") {
    return Damaged("a part of an unknown kind");
  }
  return OkStatus();
}

Result<PngFile> ReadFile(std::string_view bytes) {
  PngFile file;
  size_t at = 8;
  bool is_whole = false;
  while (!is_whole && bytes.size() - at >= 12) {
    const uint32_t length = Big32(bytes, at);
    const std::string_view type = bytes.substr(at + 4, 4);
    if (length > bytes.size() - at - 12) break;
    const std::string_view data = bytes.substr(at + 8, length);
    ASSIGN_OR_RETURN(const uint32_t sum, ZlibCrc32(bytes.substr(at + 4, size_t{length} + 4)));
    const bool is_right = sum == Big32(bytes, at + 8 + length);
    at += size_t{length} + 12;
    if (!is_right && IsCritical(type)) return Damaged("a checksum is wrong");
    if (is_right) RETURN_IF_ERROR(TakeChunk(type, data, &file));
    is_whole = type == "IEND";
  }
  if (!is_whole || file.bits == 0) return Damaged("it is cut off");
  if (file.colour == kPalette && file.palette.empty()) return Damaged("the palette is missing");
  return file;
}

// Adds to each byte what its filter predicts from the pixels to the left, above and between.
template <size_t kStep>
void AddPaeth(uint8_t* row, const uint8_t* above, size_t bytes) {
  for (size_t i = 0; i < std::min(kStep, bytes); ++i) row[i] = static_cast<uint8_t>(row[i] + above[i]);
  for (size_t i = kStep; i < bytes; ++i) {
    row[i] = static_cast<uint8_t>(row[i] + Paeth(row[i - kStep], above[i], above[i - kStep]));
  }
}

template <size_t kStep>
bool Unfilter(int filter, uint8_t* row, const uint8_t* above, size_t bytes) {
  switch (filter) {
    case 0: return true;
    case 1:
      for (size_t i = kStep; i < bytes; ++i) row[i] = static_cast<uint8_t>(row[i] + row[i - kStep]);
      return true;
    case 2:
      for (size_t i = 0; i < bytes; ++i) row[i] = static_cast<uint8_t>(row[i] + above[i]);
      return true;
    case 3:
      for (size_t i = 0; i < bytes; ++i) {
        const int left = i < kStep ? 0 : row[i - kStep];
        row[i] = static_cast<uint8_t>(row[i] + (left + above[i]) / 2);
      }
      return true;
    case 4: AddPaeth<kStep>(row, above, bytes); return true;
    default: return false;
  }
}

using Unfilters = bool (*)(int, uint8_t*, const uint8_t*, size_t);

Unfilters UnfilterOf(int64_t step) {
  switch (step) {
    case 1: return Unfilter<1>;
    case 2: return Unfilter<2>;
    case 3: return Unfilter<3>;
    case 4: return Unfilter<4>;
    case 6: return Unfilter<6>;
    default: return Unfilter<8>;
  }
}

// Pixels as the file has them become those that are wanted, in libpng's order: spread out to whole
// bytes, grey or coloured, then of 8 or 16 bits.
class Converter {
 public:
  Converter(const PngFile& file, const PngReading& reading, int channels)
      : file_(file), channels_(channels), wants_16_(reading.bits == 16),
        wide_(file.bits == 16) {
    const bool is_part = file.bits < 8;
    most_ = wide_ ? 0xFFFF : 0xFF;
    // What libpng fills in has as many bits as a pixel of the file.
    filler_ = is_part ? (1 << file.bits) - 1 : most_;
    scale_ = is_part && file.colour == kGrey ? 255 / ((1 << file.bits) - 1) : 1;
    if (channels_ < 3 && file_.has_colour() && file_.gamma > 0 && std::abs(file_.gamma - 1) > 0.05) {
      MakeGammaTables();
    }
    is_copy_ = file.bits == 8 && !wants_16_ && file.colour != kPalette &&
               file.samples() == channels && (file.transparency.empty() || channels % 2 == 1);
  }

  // `count` pixels of a row, each `step` pixels behind the one before.
  void Row(const uint8_t* row, int64_t count, int64_t step, uint8_t* out) const {
    const int64_t pixel_bytes = channels_ * (wants_16_ ? 2 : 1);
    if (is_copy_ && step == 1) {
      std::memcpy(out, row, static_cast<size_t>(count * pixel_bytes));
      return;
    }
    for (int64_t i = 0; i < count; ++i, out += step * pixel_bytes) Put(At(row, i), out);
  }

 private:
  struct Pixel {
    int v[4];  // red, green, blue, or grey in the first; then alpha
  };

  int Sample(const uint8_t* row, int64_t i) const {
    if (file_.bits == 16) return row[2 * i] << 8 | row[2 * i + 1];
    if (file_.bits == 8) return row[i];
    const int64_t bit = i * file_.bits;
    return row[bit / 8] >> (8 - file_.bits - bit % 8) & ((1 << file_.bits) - 1);
  }

  Pixel At(const uint8_t* row, int64_t i) const {
    const int samples = file_.samples();
    Pixel pixel = {{0, 0, 0, filler_}};
    if (file_.colour == kPalette) return OfPalette(Sample(row, i));
    const int colours = file_.has_colour() ? 3 : 1;
    for (int c = 0; c < colours; ++c) pixel.v[c] = Sample(row, i * samples + c);
    if (file_.has_alpha()) pixel.v[3] = Sample(row, i * samples + colours);
    if (!file_.transparency.empty()) {
      bool is_clear = true;
      for (int c = 0; c < colours; ++c) {
        const std::string_view key = file_.transparency.substr(static_cast<size_t>(2 * c), 2);
        const int wanted = static_cast<uint8_t>(key[0]) << 8 | static_cast<uint8_t>(key[1]);
        is_clear = is_clear && pixel.v[c] == (wanted & ((1 << file_.bits) - 1));
      }
      pixel.v[3] = is_clear ? 0 : most_;
    }
    for (int c = 0; c < colours; ++c) pixel.v[c] *= scale_;
    return pixel;
  }

  Pixel OfPalette(int index) const {
    Pixel pixel = {{0, 0, 0, file_.transparency.empty() ? filler_ : 255}};
    const size_t at = static_cast<size_t>(index) * 3;
    for (size_t c = 0; c < 3; ++c) {
      // libpng's palettes have room for 256 colours, which are black at first.
      if (at < file_.palette.size()) pixel.v[c] = static_cast<uint8_t>(file_.palette[at + c]);
    }
    if (static_cast<size_t>(index) < file_.transparency.size()) {
      pixel.v[3] = static_cast<uint8_t>(file_.transparency[static_cast<size_t>(index)]);
    }
    return pixel;
  }

  void Put(const Pixel& pixel, uint8_t* out) const {
    int values[4] = {pixel.v[0], pixel.v[1], pixel.v[2], pixel.v[3]};
    if (channels_ < 3) {
      values[0] = file_.has_colour() ? Grey(pixel) : pixel.v[0];
      values[1] = pixel.v[3];
    } else if (!file_.has_colour()) {
      values[1] = values[2] = pixel.v[0];
    }
    for (int c = 0; c < channels_; ++c) {
      if (!wants_16_) {
        out[c] = static_cast<uint8_t>(wide_ ? values[c] >> 8 : values[c]);
      } else {
        const uint16_t value = static_cast<uint16_t>(wide_ ? values[c] : values[c] * 257);
        std::memcpy(out + 2 * c, &value, 2);
      }
    }
  }

  int Grey(const Pixel& pixel) const {
    constexpr int kRed = 9797, kGreen = 19234, kBlue = 32768 - kRed - kGreen;  // 0.299, 0.587
    const int r = pixel.v[0], g = pixel.v[1], b = pixel.v[2];
    if (r == g && r == b) return r;
    if (!to_linear_.empty()) {
      const auto linear = [this](int v) { return static_cast<int>(to_linear_[static_cast<size_t>(v)]); };
      const int64_t sum = int64_t{kRed} * linear(r) + int64_t{kGreen} * linear(g) +
                          int64_t{kBlue} * linear(b) + 16384;
      return from_linear_[static_cast<size_t>(sum >> 15)];
    }
    const int64_t sum = int64_t{kRed} * r + int64_t{kGreen} * g + int64_t{kBlue} * b;
    return static_cast<int>((wide_ ? sum + 16384 : sum) >> 15);
  }

  void MakeGammaTables() {
    const auto table = [this](double power) {
      std::vector<uint16_t> values(static_cast<size_t>(most_) + 1);
      for (size_t i = 0; i < values.size(); ++i) {
        const double share = static_cast<double>(i) / most_;
        values[i] = static_cast<uint16_t>(std::floor(most_ * std::pow(share, power) + 0.5));
      }
      return values;
    };
    to_linear_ = table(1 / file_.gamma);
    from_linear_ = table(file_.gamma);
  }

  const PngFile& file_;
  const int channels_;
  const bool wants_16_, wide_;
  int most_ = 0, filler_ = 0, scale_ = 1;
  bool is_copy_ = false;
  std::vector<uint16_t> to_linear_, from_linear_;
};

// A picture of fewer pixels, as interlaced files have seven of: every so many rows and columns.
struct Pass {
  int64_t y, x, row_step, step;
};
constexpr Pass kWhole = {0, 0, 1, 1};
constexpr Pass kPasses[] = {{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4}, {0, 2, 4, 4},
                            {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}};

Status ReadPass(const PngFile& file, const Pass& pass, const Converter& convert, int64_t pixel_bytes,
                InputStream* in, uint8_t* pixels) {
  const int64_t columns = (file.width - pass.x + pass.step - 1) / pass.step;
  if (columns <= 0) return OkStatus();
  const size_t bytes = static_cast<size_t>(file.RowBytes(columns));
  const Unfilters unfilter = UnfilterOf(std::max<int64_t>(1, file.samples() * file.bits / 8));
  // Many rows at a time: zlib is slow at the end of what it is asked for. The one above them is first.
  const size_t line = bytes + 1;  // its first byte names the filter
  const size_t rows = static_cast<size_t>((file.height - pass.y + pass.row_step - 1) / pass.row_step);
  const size_t most = std::min(rows, std::max<size_t>(1, kBand / line));
  std::vector<uint8_t> band(line * (most + 1));
  for (size_t row = 0; row < rows; ++row) {
    if (row % most == 0) {
      ThrowIfStopped();
      std::copy_n(band.end() - static_cast<int64_t>(line), line, band.begin());
      const size_t wanted = line * std::min(most, rows - row);
      const Result<size_t> read = in->Read(reinterpret_cast<char*>(band.data() + line), wanted);
      if (!read.ok()) return Damaged(read.status().message().c_str());
      if (*read < wanted) return Damaged("rows are missing");
    }
    uint8_t* const at = band.data() + line * (row % most + 1);
    if (!unfilter(at[0], at + 1, at - bytes, bytes)) return Damaged("an unknown filter");
    const int64_t y = pass.y + static_cast<int64_t>(row) * pass.row_step;
    convert.Row(at + 1, columns, pass.step, pixels + (y * file.width + pass.x) * pixel_bytes);
  }
  return OkStatus();
}

int ChannelsOf(const PngFile& file) {
  if (file.colour == kPalette) return file.transparency.empty() ? 3 : 4;
  return file.samples();
}

}  // namespace

Status DecodePng(std::string_view bytes, const PngReading& reading, const MakePixels& make) {
  if (ImageFormatOf(bytes) != ImageFormat::kPng) return Damaged("no PNG");
  ASSIGN_OR_RETURN(const PngFile file, ReadFile(bytes));
  const int64_t needed = file.RowBytes(file.width) * file.height;
  if (needed / kMostOfDeflate > static_cast<int64_t>(file.compressed.size())) {
    return Damaged("rows are missing");
  }
  const int channels = reading.channels == 0 ? ChannelsOf(file) : reading.channels;
  ASSIGN_OR_RETURN(void* made, make({1, file.height, file.width, channels}));
  uint8_t* pixels = static_cast<uint8_t*>(made);
  ASSIGN_OR_RETURN(const std::unique_ptr<InputStream> in,
                   Decompressed(std::make_unique<BytesInput>(file.compressed), Compression::kZlib));
  const Converter convert(file, reading, channels);
  const int64_t pixel_bytes = channels * reading.bits / 8;
  if (!file.interlaced) return ReadPass(file, kWhole, convert, pixel_bytes, in.get(), pixels);
  for (const Pass& pass : kPasses) {
    RETURN_IF_ERROR(ReadPass(file, pass, convert, pixel_bytes, in.get(), pixels));
  }
  return OkStatus();
}

}  // namespace tfbuild
