#include <algorithm>
#include <cstring>
#include <functional>

#include "base/parallel.h"
#include "io/bmp.h"
#include "io/gif.h"
#include "io/jpeg.h"
#include "io/png.h"
#include "testing/limited_work.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

struct Pixels {
  ImageSize size;
  std::vector<uint8_t> bytes;

  MakePixels Into(int bytes_of_channel = 1) {
    return [this, bytes_of_channel](const ImageSize& found) -> Result<void*> {
      size = found;
      bytes.resize(static_cast<size_t>(found.frames * found.height * found.width * found.channels) *
                   static_cast<size_t>(bytes_of_channel));
      return static_cast<void*>(bytes.data());
    };
  }
};

// Numbers without a pattern that a filter would guess.
std::vector<uint8_t> Noise(size_t count) {
  std::vector<uint8_t> noise(count);
  uint32_t state = 1;
  for (uint8_t& one : noise) one = static_cast<uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  return noise;
}

TEST(Image, FormatsAreKnownByTheirBeginnings) {
  EXPECT_TRUE(ImageFormatOf("\xff\xd8\xff\xe0") == ImageFormat::kJpeg);
  EXPECT_TRUE(ImageFormatOf("\x89PNG\r\n\x1a\n") == ImageFormat::kPng);
  EXPECT_TRUE(ImageFormatOf("GIF89a") == ImageFormat::kGif);
  EXPECT_TRUE(ImageFormatOf("BM") == ImageFormat::kBmp);
  EXPECT_TRUE(ImageFormatOf("") == ImageFormat::kUnknown);
}

TEST(Image, PngComesBack) {
  for (const int64_t channels : {1, 2, 3, 4}) {
    for (const int bits : {8, 16}) {
      const ImageSize size{1, 7, 5, channels};
      const std::vector<uint8_t> pixels = Noise(static_cast<size_t>(35 * channels * bits / 8));
      const Result<std::string> file = EncodePng(pixels.data(), size, bits);
      ASSERT_OK(file);
      Pixels back;
      PngReading reading;
      reading.bits = bits;
      ASSERT_OK(DecodePng(*file, reading, back.Into(bits / 8)));
      EXPECT_EQ(back.size.height, 7);
      EXPECT_EQ(back.size.channels, channels);
      EXPECT_TRUE(back.bytes == pixels);
    }
  }
}

TEST(Image, PngThatIsCutOffOrChangedIsRefused) {
  const std::vector<uint8_t> pixels = Noise(300);
  const std::string file = *EncodePng(pixels.data(), {1, 10, 10, 3});
  Pixels back;
  for (size_t length = 0; length < file.size(); ++length) {
    EXPECT_ERROR(DecodePng(file.substr(0, length), {}, back.Into()), Code::kInvalidArgument, "Invalid PNG");
  }
  std::string changed = file;
  changed[50] ^= 1;
  EXPECT_ERROR(DecodePng(changed, {}, back.Into()), Code::kInvalidArgument, "checksum");
}

// A header that promises more than the file can hold gets no memory.
TEST(Image, PngOfHugeSizeIsRefused) {
  const std::vector<uint8_t> pixels = Noise(3);
  std::string file = *EncodePng(pixels.data(), {1, 1, 1, 3});
  const std::string huge("\x00\x00\x40\x00\x00\x00\x40\x00\x08\x02\x00\x00\x00\x95\x84\x4e\x7a", 17);
  file.replace(16, 17, huge);
  Pixels back;
  const Status status = DecodePng(file, {}, back.Into());
  EXPECT_TRUE(!status.ok());
  EXPECT_TRUE(back.bytes.empty());
}

std::string SmoothJpeg(const JpegWriting& writing, int64_t channels, std::vector<uint8_t>* pixels) {
  for (int64_t i = 0; i < 40 * 32 * channels; ++i) {
    pixels->push_back(static_cast<uint8_t>(60 + i / channels % 32 * 3));
  }
  const Result<std::string> file = EncodeJpeg(pixels->data(), {1, 40, 32, channels}, writing);
  EXPECT_OK(file);
  return file.ok() ? *file : "";
}

TEST(Image, JpegComesBackNearly) {
  for (const int64_t channels : {1, 3}) {
    for (const bool progressive : {false, true}) {
      std::vector<uint8_t> pixels;
      JpegWriting writing;
      writing.progressive = progressive;
      const std::string file = SmoothJpeg(writing, channels, &pixels);
      Pixels back;
      ASSERT_OK(DecodeJpeg(file, {}, back.Into()));
      EXPECT_EQ(back.bytes.size(), pixels.size());
      int furthest = 0;
      for (size_t i = 0; i < pixels.size(); ++i) {
        furthest = std::max(furthest, std::abs(back.bytes[i] - pixels[i]));
      }
      EXPECT_TRUE(furthest <= 4);
    }
  }
}

// With colours of fewer pixels, the last column would be mixed with one that is not read.
TEST(Image, PartOfAJpegIsThatOfTheWhole) {
  std::vector<uint8_t> pixels;
  JpegWriting writing;
  writing.chroma_downsampling = false;
  const std::string file = SmoothJpeg(writing, 3, &pixels);
  Pixels whole, part;
  ASSERT_OK(DecodeJpeg(file, {}, whole.Into()));
  JpegReading reading;
  reading.window = ImageWindow{9, 5, 20, 11};
  ASSERT_OK(DecodeJpeg(file, reading, part.Into()));
  for (size_t y = 0; y < 20; ++y) {
    EXPECT_EQ(std::memcmp(&part.bytes[y * 33], &whole.bytes[((y + 9) * 32 + 5) * 3], 33), 0);
  }
  reading.window = ImageWindow{30, 0, 11, 5};
  EXPECT_ERROR(DecodeJpeg(file, reading, part.Into()), Code::kInvalidArgument, "crop window");
}

TEST(Image, JpegThatIsCutOffIsRefusedOrMadeUp) {
  std::vector<uint8_t> pixels;
  const std::string file = SmoothJpeg({}, 3, &pixels);
  const std::string half = file.substr(0, file.size() - 60);
  Pixels back;
  EXPECT_ERROR(DecodeJpeg(half, {}, back.Into()), Code::kInvalidArgument, "Invalid JPEG");
  JpegReading reading;
  reading.try_recover_truncated = true;
  EXPECT_OK(DecodeJpeg(half, reading, back.Into()));
  EXPECT_ERROR(DecodeJpeg(file.substr(0, 30), reading, back.Into()), Code::kInvalidArgument, "Invalid JPEG");
}

// A file that is long enough for two threads: the pixels, and what is wrong, are those of one.
TEST(Image, TwoThreadsReadAJpegAsOne) {
  constexpr int64_t kHeight = 200, kWidth = 160;
  for (const bool downsampling : {true, false}) {
    JpegWriting writing;
    writing.chroma_downsampling = downsampling;
    const std::vector<uint8_t> noise = Noise(kHeight * kWidth * 3);
    const std::string file = *EncodeJpeg(noise.data(), {1, kHeight, kWidth, 3}, writing);
    EXPECT_TRUE(file.size() > size_t{24} << 10);
    for (size_t round = 0; round < 40; ++round) {
      std::string damaged = file;
      if (round > 0) damaged[1000 + round * 997 % (file.size() - 1000)] ^= static_cast<char>(round);
      if (round > 30) damaged.resize(file.size() * round / 45);
      JpegReading reading;
      reading.try_recover_truncated = round % 2 == 0;
      Pixels alone, shared;
      SetMaxThreads(1);
      const Status first = DecodeJpeg(damaged, reading, alone.Into());
      SetMaxThreads(4);
      const Status second = DecodeJpeg(damaged, reading, shared.Into());
      SetMaxThreads(0);
      EXPECT_EQ(first.message(), second.message());
      if (first.ok()) EXPECT_TRUE(alone.bytes == shared.bytes);
    }
  }
}

TEST(Image, JpegOfHugeSizeIsRefused) {
  std::vector<uint8_t> pixels;
  std::string file = SmoothJpeg({}, 1, &pixels);
  const size_t frame = file.find("\xff\xc0");
  ASSERT_OK(frame == std::string::npos ? Internal("no frame") : OkStatus());
  file.replace(frame + 5, 4, "\x50\x00\x50\x00", 4);
  Pixels back;
  EXPECT_ERROR(DecodeJpeg(file, {}, back.Into()), Code::kInvalidArgument, "bytes hold no");
  EXPECT_TRUE(back.bytes.empty());
}

TEST(Image, BmpIsTurnedUpright) {
  std::string file = "BM";
  const auto put = [&file](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  };
  put(0, 8), put(54, 4), put(40, 4), put(1, 4), put(2, 4), put(1, 2), put(24, 2), put(0, 24);
  file += std::string("\x03\x02\x01\x00\x06\x05\x04\x00", 8);  // blue first, from bottom to top
  Pixels back;
  ASSERT_OK(DecodeBmp(file, 0, back.Into()));
  EXPECT_TRUE(back.bytes == (std::vector<uint8_t>{4, 5, 6, 1, 2, 3}));
  EXPECT_ERROR(DecodeBmp(file, 4, back.Into()), Code::kInvalidArgument, "does not match");
  EXPECT_ERROR(DecodeBmp(file.substr(0, 60), 0, back.Into()), Code::kInvalidArgument, "Incomplete");
  file.replace(18, 8, "\xff\xff\xff\x7f\x00\x00\x00\x80", 8);
  EXPECT_ERROR(DecodeBmp(file, 0, back.Into()), Code::kInvalidArgument, "");
}

// Two pixels of two colours; the second frame leaves the first of them.
std::string SmallGif() {
  std::string file("GIF89a\x02\x00\x01\x00\x80\x00\x00", 13);
  file += std::string("\x01\x02\x03\x0a\x0b\x0c", 6);
  file += std::string("\x2c\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x44\x0a\x00", 15);
  file += std::string("\x21\xf9\x04\x01\x00\x00\x00\x00", 8);
  file += std::string("\x2c\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x0c\x0a\x00", 15);
  return file + ';';
}

TEST(Image, FramesOfAGifLieOverEachOther) {
  Pixels back;
  ASSERT_OK(DecodeGif(SmallGif(), false, back.Into()));
  EXPECT_EQ(back.size.frames, 2);
  EXPECT_TRUE(back.bytes == (std::vector<uint8_t>{1, 2, 3, 10, 11, 12, 10, 11, 12, 10, 11, 12}));
  ASSERT_OK(DecodeGif(SmallGif(), true, back.Into()));
  EXPECT_EQ(back.size.frames, 1);
  for (size_t length = 0; length < 25; ++length) {
    const Status status = DecodeGif(SmallGif().substr(0, length), false, back.Into());
    EXPECT_ERROR(status, Code::kInvalidArgument, "Invalid GIF");
  }
}

TEST(Image, GifOfHugeSizeIsRefused) {
  std::string file = SmallGif();
  file.replace(24, 4, "\xff\xff\xff\xff", 4);
  Pixels back;
  EXPECT_ERROR(DecodeGif(file, false, back.Into()), Code::kInvalidArgument, "too large");
}

// A GIF of one frame: each pixel is the first colour, given by a number that clears what was learned.
std::string PlainGif(int side) {
  std::string file = "GIF89a";
  const auto little = [&file](int value) {
    file += static_cast<char>(value & 0xFF);
    file += static_cast<char>(value >> 8);
  };
  little(side);
  little(side);
  file += std::string("\x80\x00\x00", 3) + std::string(6, '\x7f') + '\x2c';
  little(0);
  little(0);
  little(side);
  little(side);
  file += std::string("\x00\x02", 2);  // numbers of two bits, and so codes of three
  for (int left = side * side * 2 * 3 / 8 + 1; left > 0; left -= 252) {
    const int count = std::min(left, 252);
    file += static_cast<char>(count);
    // "clear" and the first colour, again and again: 4, 0, ... from the lowest bit on.
    for (int i = 0; i < count; ++i) file += "\x04\x41\x10"[i % 3];
  }
  return file + std::string("\x00\x3b", 2);
}

// A decoder looks before it is done, whatever the format, whether its step must end.
TEST(Image, DecodersEndWithTheirStep) {
  constexpr int64_t kSide = 400;
  const ImageSize size{1, kSide, kSide, 3};
  const std::vector<uint8_t> pixels = Noise(kSide * kSide * 3);
  JpegWriting progressive;
  progressive.progressive = true;
  const std::string baseline = *EncodeJpeg(pixels.data(), size, {});
  const std::string in_scans = *EncodeJpeg(pixels.data(), size, progressive);
  const std::string png = *EncodePng(pixels.data(), size);
  const std::string gif = PlainGif(kSide);
  Pixels back;
  const std::function<Status()> decoders[] = {
      [&] { return DecodeJpeg(baseline, {}, back.Into()); },
      [&] { return DecodeJpeg(in_scans, {}, back.Into()); },
      [&] { return DecodePng(png, {}, back.Into()); },
      [&] { return DecodeGif(gif, true, back.Into()); },
  };
  for (const auto& decode : decoders) {
    ASSERT_OK(decode());
    EXPECT_ERROR(StoppedAfter(2, decode), Code::kCancelled, "enough");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
