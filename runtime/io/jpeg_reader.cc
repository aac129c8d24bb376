#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "base/parallel.h"
#include "base/stop.h"
#include "io/jpeg.h"
#include "io/jpeg_errors.h"

namespace tfbuild {
namespace {

constexpr long kMostMemory = long{1} << 31;  // what libjpeg itself may take
constexpr int kMostScans = 500;              // a small file may ask for millions of passes
// A block of 64 pixels takes at least a bit, but where numbers share bits (arithmetic coding).
constexpr int64_t kMostPixelsOfByte = 8 * 64;
constexpr JOCTET kEnd[] = {0xFF, JPEG_EOI};
constexpr size_t kWorthThread = 24 << 10;  // bytes of a file, some 0.4 ms of reading

// The rows of an image below a line, which a second thread reads where one comes in time. It has to
// read the codes of all rows above as well, since each builds on the one before, but not to make
// pixels of them: two thirds of the work. So both are done at the same time when the line is here.
struct LowerRows {
  int64_t first;
  std::atomic<bool> taken{false};
  bool whole = false;

  static int64_t FirstOf(int64_t height, int64_t rows_of_block) {
    return height * 2 / 3 / rows_of_block * rows_of_block;
  }
  // Who begins later than the other thread gets here saves nothing.
  int64_t latest() const { return first / 4; }
};

// A file in memory. At its end it either has no more to give, so that libjpeg gives no more rows, or
// says that the image ends, and libjpeg makes up the rest.
struct Source {
  jpeg_source_mgr manager = {};
  bool ends_early = false;

  void Init(std::string_view bytes, bool makes_up_the_rest) {
    ends_early = makes_up_the_rest;
    manager.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    manager.bytes_in_buffer = bytes.size();
    manager.init_source = [](j_decompress_ptr) {};
    manager.term_source = [](j_decompress_ptr) {};
    manager.resync_to_restart = jpeg_resync_to_restart;
    manager.fill_input_buffer = [](j_decompress_ptr info) -> boolean {
      Source* source = reinterpret_cast<Source*>(info->src);
      if (!source->ends_early) return FALSE;
      source->manager.next_input_byte = kEnd;
      source->manager.bytes_in_buffer = sizeof(kEnd);
      return TRUE;
    };
    manager.skip_input_data = [](j_decompress_ptr info, long count) {
      jpeg_source_mgr* source = info->src;
      const size_t skipped = std::min(static_cast<size_t>(std::max(count, 0L)), source->bytes_in_buffer);
      source->next_input_byte += skipped;
      source->bytes_in_buffer -= skipped;
    };
  }
};

// Whether the work of this thread must end. libjpeg is not to be left by an exception.
bool MustStop() {
  Stoppable* const work = StoppableHere();
  return work != nullptr && !work->Check().ok();
}

class Reader {
 public:
  Reader(std::string_view bytes, const JpegReading& reading) : bytes_(bytes), reading_(reading) {}
  ~Reader() { jpeg_destroy_decompress(&info_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Status ReadHeader() {
    info_.err = errors_.Init();
    int found = JPEG_SUSPENDED;
    int* answer = &found;
    const bool done = errors_.Try([this, answer] {
      jpeg_create_decompress(&info_);
      info_.mem->max_memory_to_use = kMostMemory;
      source_.Init(bytes_, reading_.try_recover_truncated);
      info_.src = &source_.manager;
      LimitScans();
      *answer = jpeg_read_header(&info_, TRUE);
    });
    if (!done) return Failure();
    if (found != JPEG_HEADER_OK) return InvalidArgument("Invalid JPEG data: the header is cut off");
    return OkStatus();
  }

  ImageSize size() const {
    return {1, static_cast<int64_t>(info_.image_height), static_cast<int64_t>(info_.image_width),
            info_.num_components};
  }

  Status ReadPixels(const MakePixels& make) {
    RETURN_IF_ERROR(Start());
    const int64_t height = info_.output_height, width = info_.output_width;
    const ImageWindow window = reading_.window.value_or(ImageWindow{0, 0, height, width});
    if (window.height <= 0 || window.width <= 0 || window.y < 0 || window.x < 0 ||
        window.height > height - window.y || window.width > width - window.x) {
      return InvalidArgument("Invalid crop window: y=", window.y, ", x=", window.x, ", height=",
                             window.height, ", width=", window.width, " of an image of ", height,
                             " rows and ", width, " columns");
    }
    ASSIGN_OR_RETURN(void* made, make({1, window.height, window.width, channels_}));
    uint8_t* pixels = static_cast<uint8_t*>(made);
    if (CanShare()) RETURN_IF_ERROR(ReadWithHelp(window, pixels));
    RETURN_IF_ERROR(ReadRows(window, window.height, pixels));
    const int64_t rows = rows_;
    if (static_cast<float>(rows) <
        static_cast<float>(window.height) * std::min(reading_.min_acceptable_fraction, 1.0f)) {
      return InvalidArgument("Invalid JPEG data: ", rows, " of ", window.height, " rows are there");
    }
    const int64_t row_bytes = window.width * channels_;
    std::memset(pixels + rows * row_bytes, 0, static_cast<size_t>((window.height - rows) * row_bytes));
    return OkStatus();
  }

 private:
  // Of a call of libjpeg that was left.
  Status Failure() const {
    ThrowIfStopped();
    return errors_.status("Invalid JPEG data");
  }

  // libjpeg asks in every row and, before there are rows, in every scan of some.
  void LimitScans() {
    progress_.progress_monitor = [](j_common_ptr info) {
      if (!info->is_decompressor) return;
      const j_decompress_ptr reader = reinterpret_cast<j_decompress_ptr>(info);
      if (reader->input_scan_number > kMostScans || MustStop()) info->err->error_exit(info);
    };
    info_.progress = &progress_;
  }

  bool IsCmyk() const {
    return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  }

  // Sets what is wanted, and begins to decompress.
  Status Start() {
    channels_ = reading_.channels == 0 ? std::min(info_.num_components, 3) : reading_.channels;
    if (channels_ != 1 && channels_ != 3) {
      return InvalidArgument("a JPEG has 1 or 3 channels, not ", channels_);
    }
    // libjpeg makes no red of CMYK: that is done here.
    info_.out_color_space = channels_ == 1 ? JCS_GRAYSCALE : IsCmyk() ? JCS_CMYK : JCS_RGB;
    info_.do_fancy_upsampling = reading_.fancy_upscaling ? TRUE : FALSE;
    info_.scale_num = 1;
    info_.scale_denom = static_cast<unsigned>(reading_.ratio);
    info_.dct_method = reading_.fast_dct ? JDCT_IFAST : JDCT_ISLOW;
    const int64_t pixels = int64_t{info_.image_height} * info_.image_width;
    if (pixels > kMostPixels) return InvalidArgument("Image too large: ", pixels, " pixels");
    const bool may_be_short = reading_.try_recover_truncated || info_.arith_code;
    if (!may_be_short && pixels / kMostPixelsOfByte > static_cast<int64_t>(bytes_.size())) {
      return InvalidArgument("Invalid JPEG data: ", bytes_.size(), " bytes hold no ", pixels,
                             " pixels");
    }
    boolean started = FALSE;
    boolean* answer = &started;
    if (!errors_.Try([this, answer] { *answer = jpeg_start_decompress(&info_); })) {
      return Failure();
    }
    // A file of several scans is read whole before its first row.
    if (!started) return InvalidArgument("Invalid JPEG data: it is cut off");
    return OkStatus();
  }

  bool CanShare() {
    const bool whole = !reading_.window && reading_.ratio == 1 && reading_.fancy_upscaling;
    const bool one_scan = !info_.progressive_mode && !jpeg_has_multiple_scans(&info_);
    return whole && one_scan && !IsCmyk() && bytes_.size() >= kWorthThread;
  }

  // Reads rows from above, and another thread those below them, if one is free: then all rows are
  // there. What is damaged is left, so that it is read in its order.
  Status ReadWithHelp(const ImageWindow& window, uint8_t* pixels) {
    LowerRows lower{LowerRows::FirstOf(window.height, info_.max_v_samp_factor * DCTSIZE)};
    Status above;
    const auto part = [&](int64_t index) {
      if (index == 0) {
        above = ReadRows(window, lower.latest(), pixels);
        if (lower.taken.exchange(true) && above.ok()) above = ReadRows(window, lower.first, pixels);
      } else if (!lower.taken.exchange(true)) {
        Reader reader(bytes_, reading_);
        lower.whole = reader.ReadLower(window, lower.first, pixels);
      }
    };
    RunParts(2, [](const void* context, int64_t index) {
      (*static_cast<decltype(&part)>(context))(index);
    }, &part);
    RETURN_IF_ERROR(above);
    if (lower.whole && rows_ == lower.first) rows_ = window.height;
    return OkStatus();
  }

  // Whether all rows from `first` on were read without a complaint.
  bool ReadLower(const ImageWindow& window, int64_t first, uint8_t* pixels) {
    rows_ = first;
    return ReadHeader().ok() && Start().ok() && ReadRows(window, window.height, pixels).ok() &&
           rows_ == window.height && errors_.manager.num_warnings == 0;
  }

  // Reads more rows of the window, as far as there are any, before row `end` of it.
  Status ReadRows(const ImageWindow& window, int64_t end, uint8_t* pixels) {
    // Where a row begins at a multiple of their size, libjpeg's vectors write around the cache, and who
    // reads the pixels next waits for memory. So each row goes into a line that does not, and from there.
    std::vector<uint8_t> line(1 + info_.output_width * static_cast<size_t>(info_.output_components));
    uint8_t* aside = line.data() + 1;
    const bool done = errors_.Try([this, &window, end, pixels, aside] {
      const int64_t row_bytes = window.width * channels_;
      if (info_.output_scanline == 0 && !Seek(window)) return;
      while (rows_ < end) {
        JSAMPROW row = aside;
        if (jpeg_read_scanlines(&info_, &row, 1) == 0) return;
        CopyColumns(window, aside, window.x - first_col_, pixels + rows_ * row_bytes);
        ++rows_;
      }
    });
    return done ? OkStatus() : Failure();
  }

  // Goes to the first row that is to be read, and to the block of the window's first column.
  bool Seek(const ImageWindow& window) {
    if (window.width < static_cast<int64_t>(info_.output_width)) {
      first_col_ = static_cast<JDIMENSION>(window.x);
      JDIMENSION width = static_cast<JDIMENSION>(window.width);
      jpeg_crop_scanline(&info_, &first_col_, &width);
    }
    const JDIMENSION first = static_cast<JDIMENSION>(window.y + rows_);
    return first == 0 || jpeg_skip_scanlines(&info_, first) == first;
  }

  // The window's part of a line, of which `before` pixels lie to the left of it.
  void CopyColumns(const ImageWindow& window, const uint8_t* line, int64_t before, uint8_t* to) const {
    const uint8_t* from = line + before * info_.output_components;
    if (info_.out_color_space != JCS_CMYK) {
      std::memcpy(to, from, static_cast<size_t>(window.width * channels_));
      return;
    }
    for (int64_t i = 0; i < window.width; ++i, from += 4, to += 3) {
      const int black = from[3];
      for (int c = 0; c < 3; ++c) {  // Adobe's programs write inks the other way around
        to[c] = static_cast<uint8_t>(info_.saw_Adobe_marker ? black * from[c] / 255
                                                            : (255 - black) * (255 - from[c]) / 255);
      }
    }
  }

  std::string_view bytes_;
  const JpegReading& reading_;
  JpegErrors errors_;
  Source source_;
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct info_ = {};
  int channels_ = 0;
  int64_t rows_ = 0;  // of the window, which are there
  JDIMENSION first_col_ = 0;
};

}  // namespace

Status DecodeJpeg(std::string_view bytes, const JpegReading& reading, const MakePixels& make) {
  if (reading.ratio != 1 && reading.ratio != 2 && reading.ratio != 4 && reading.ratio != 8) {
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", reading.ratio);
  }
  Reader reader(bytes, reading);
  RETURN_IF_ERROR(reader.ReadHeader());
  return reader.ReadPixels(make);
}

Result<ImageSize> JpegSize(std::string_view bytes) {
  const JpegReading reading;
  Reader reader(bytes, reading);
  RETURN_IF_ERROR(reader.ReadHeader());
  return reader.size();
}

}  // namespace tfbuild
