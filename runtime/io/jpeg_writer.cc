#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/stop.h"
#include "io/jpeg.h"
#include "io/jpeg_errors.h"

#include <jerror.h>

namespace tfbuild {
namespace {

constexpr int64_t kLongestSide = 65500;  // libjpeg's
constexpr char kXmpSignature[] = "http://ns.adobe.com/xap/1.0/";  // ends with a zero byte

// Where the library puts what it writes: memory that is right to free however a call has ended, which
// its own destination in memory says only of calls that succeed.
class Destination {
 public:
  ~Destination() { std::free(bytes_); }
  jpeg_destination_mgr* Init() {
    manager_.init_destination = [](j_compress_ptr info) { Of(info)->Grow(info); };
    manager_.empty_output_buffer = [](j_compress_ptr info) {
      Of(info)->Grow(info);
      return boolean{TRUE};
    };
    manager_.term_destination = [](j_compress_ptr) {};
    return &manager_;
  }
  std::string Written() const {
    return std::string(reinterpret_cast<const char*>(bytes_), room_ - manager_.free_in_buffer);
  }

 private:
  static constexpr size_t kFirstRoom = size_t{1} << 16;

  // The manager is the first member, so that both are at one place.
  static Destination* Of(j_compress_ptr info) { return reinterpret_cast<Destination*>(info->dest); }
  // Called when all that there is is full.
  void Grow(j_compress_ptr info) {
    const size_t room = std::max(kFirstRoom, 2 * room_);
    void* const grown = std::realloc(bytes_, room);
    if (grown == nullptr) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    bytes_ = static_cast<JOCTET*>(grown);
    manager_.next_output_byte = bytes_ + room_;
    manager_.free_in_buffer = room - room_;
    room_ = room;
  }

  jpeg_destination_mgr manager_ = {};
  JOCTET* bytes_ = nullptr;
  size_t room_ = 0;
};

class Writer {
 public:
  ~Writer() { jpeg_destroy_compress(&info_); }

  Result<std::string> Write(const uint8_t* pixels, const ImageSize& size, const JpegWriting& writing) {
    info_.err = errors_.Init();
    const std::string xmp = writing.xmp_metadata.empty()
                                ? std::string()
                                : std::string(kXmpSignature, sizeof(kXmpSignature)) + writing.xmp_metadata;
    const bool done = errors_.Try([&, this] {
      jpeg_create_compress(&info_);
      info_.dest = destination_.Init();
      Set(size, writing);
      jpeg_start_compress(&info_, TRUE);
      if (!xmp.empty()) {
        jpeg_write_marker(&info_, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(xmp.data()),
                          static_cast<unsigned>(xmp.size()));
      }
      while (info_.next_scanline < info_.image_height) {
        ThrowIfStopped();
        const int64_t at = static_cast<int64_t>(info_.next_scanline) * size.width * size.channels;
        JSAMPROW row = const_cast<JSAMPROW>(pixels + at);  // it only reads
        jpeg_write_scanlines(&info_, &row, 1);
      }
      jpeg_finish_compress(&info_);
    });
    if (!done) return errors_.status("JPEG encoding failed");
    return destination_.Written();
  }

 private:
  void Set(const ImageSize& size, const JpegWriting& writing) {
    info_.image_height = static_cast<JDIMENSION>(size.height);
    info_.image_width = static_cast<JDIMENSION>(size.width);
    info_.input_components = static_cast<int>(size.channels);
    info_.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    if (writing.optimize_size) info_.optimize_coding = TRUE;
    info_.density_unit = static_cast<UINT8>(writing.density_unit);
    info_.X_density = static_cast<UINT16>(writing.x_density);
    info_.Y_density = static_cast<UINT16>(writing.y_density);
    jpeg_set_quality(&info_, writing.quality, TRUE);
    if (writing.progressive) jpeg_simple_progression(&info_);
    if (!writing.chroma_downsampling) {
      for (int i = 0; i < info_.num_components; ++i) {
        info_.comp_info[i].h_samp_factor = 1;
        info_.comp_info[i].v_samp_factor = 1;
      }
    }
  }

  JpegErrors errors_;
  Destination destination_;
  jpeg_compress_struct info_ = {};
};

}  // namespace

Result<std::string> EncodeJpeg(const uint8_t* pixels, const ImageSize& size,
                               const JpegWriting& writing) {
  if (size.channels != 1 && size.channels != 3) {
    return InvalidArgument("a JPEG is made of 1 or 3 channels, not of ", size.channels);
  }
  if (size.height < 1 || size.width < 1 || size.height > kLongestSide || size.width > kLongestSide) {
    return InvalidArgument("no JPEG has ", size.height, " rows of ", size.width, " pixels");
  }
  if (writing.quality < 0 || writing.quality > 100) {
    return InvalidArgument("quality must be in [0,100], got ", writing.quality);
  }
  if (writing.xmp_metadata.size() > 65533 - sizeof(kXmpSignature)) {
    return InvalidArgument("the XMP metadata is longer than a JPEG can hold");
  }
  return Writer().Write(pixels, size, writing);
}

}  // namespace tfbuild
