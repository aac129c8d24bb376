#include "io/zlib.h"

#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "base/stop.h"

namespace tfbuild {
namespace {

// zlib's interface, which has been the same since its version 1: no header is needed to build.
struct ZStream {
  const unsigned char* next_in;
  unsigned avail_in;
  unsigned long total_in;
  unsigned char* next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char* msg;
  void* state;
  void* (*zalloc)(void*, unsigned, unsigned);
  void (*zfree)(void*, void*);
  void* opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
};
constexpr int kNoFlush = 0, kSyncFlush = 2, kFinish = 4;
constexpr int kOk = 0, kStreamEnd = 1, kBufError = -5;
constexpr int kDeflated = 8, kMemLevel = 8, kDefaultStrategy = 0, kFiltered = 1;
constexpr int kWindowBits = 15, kGzipFrame = 16;
constexpr size_t kChunk = size_t{1} << 18;

struct Zlib {
  int (*deflate_init)(ZStream*, int level, int method, int window_bits, int memory_level,
                      int strategy, const char* version, int stream_size);
  int (*deflate)(ZStream*, int flush);
  int (*deflate_end)(ZStream*);
  int (*inflate_init)(ZStream*, int window_bits, const char* version, int stream_size);
  int (*inflate)(ZStream*, int flush);
  int (*inflate_end)(ZStream*);
  int (*inflate_reset)(ZStream*);
  unsigned long (*crc32)(unsigned long, const unsigned char*, unsigned);
  const char* (*version)();
};

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

Result<Zlib> OpenZlib() {
  void* library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Unimplemented("compression needs zlib, which the system lacks (libz.so.1; the package "
                         "is called zlib1g or zlib)");
  }
  Zlib zlib = {};
  const bool whole = Find(library, "deflateInit2_", &zlib.deflate_init) &&
                     Find(library, "deflate", &zlib.deflate) &&
                     Find(library, "deflateEnd", &zlib.deflate_end) &&
                     Find(library, "inflateInit2_", &zlib.inflate_init) &&
                     Find(library, "inflate", &zlib.inflate) &&
                     Find(library, "inflateEnd", &zlib.inflate_end) &&
                     Find(library, "inflateReset", &zlib.inflate_reset) &&
                     Find(library, "crc32", &zlib.crc32) && Find(library, "zlibVersion", &zlib.version);
  if (!whole) return Unimplemented("the libz.so.1 of this system is not zlib");
  return zlib;
}

Result<const Zlib*> GetZlib() {
  static const Result<Zlib> opened = OpenZlib();
  if (!opened.ok()) return opened.status();
  return &*opened;
}

int BitsOf(Compression compression) {
  return compression == Compression::kGzip ? kWindowBits + kGzipFrame : kWindowBits;
}

const unsigned char* Bytes(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

class DeflateOutput final : public OutputStream {
 public:
  DeflateOutput(const Zlib* zlib, std::unique_ptr<OutputStream> out)
      : zlib_(zlib), out_(std::move(out)), buffer_(kChunk, '\0') {}
  ~DeflateOutput() override {
    if (stream_.state != nullptr) zlib_->deflate_end(&stream_);
  }

  Status Init(Compression compression, int level, int strategy) {
    const int code = zlib_->deflate_init(&stream_, level, kDeflated, BitsOf(compression), kMemLevel,
                                         strategy, zlib_->version(), sizeof(ZStream));
    if (code != kOk) return InvalidArgument("zlib has no compression level ", level);
    return OkStatus();
  }

  Status Append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, size_t{1} << 30);
      RETURN_IF_ERROR(Write(part, kNoFlush));
      bytes.remove_prefix(part.size());
    }
    return OkStatus();
  }
  Status Flush() override {
    RETURN_IF_ERROR(Write({}, kSyncFlush));
    return out_->Flush();
  }
  Status Close() override {
    RETURN_IF_ERROR(Write({}, kFinish));
    return out_->Close();
  }

 private:
  Status Write(std::string_view bytes, int flush) {
    stream_.next_in = Bytes(bytes);
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<unsigned char*>(buffer_.data());
      stream_.avail_out = static_cast<unsigned>(buffer_.size());
      const int code = zlib_->deflate(&stream_, flush);
      if (code < 0 && code != kBufError) return Internal("zlib could not compress: ", code);
      RETURN_IF_ERROR(out_->Append({buffer_.data(), buffer_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0);
    return OkStatus();
  }

  const Zlib* zlib_;
  std::unique_ptr<OutputStream> out_;
  std::string buffer_;
  ZStream stream_ = {};
};

class InflateInput final : public InputStream {
 public:
  InflateInput(const Zlib* zlib, std::unique_ptr<InputStream> in)
      : zlib_(zlib), in_(std::move(in)), buffer_(kChunk, '\0') {}
  ~InflateInput() override {
    if (stream_.state != nullptr) zlib_->inflate_end(&stream_);
  }

  Status Init(Compression compression) {
    const int code = zlib_->inflate_init(&stream_, BitsOf(compression), zlib_->version(),
                                         sizeof(ZStream));
    return code == kOk ? OkStatus() : ResourceExhausted("zlib could not start: ", code);
  }

  Result<size_t> Read(char* to, size_t count) override {
    const size_t wanted = std::min(count, size_t{1} << 30);
    stream_.next_out = reinterpret_cast<unsigned char*>(to);
    stream_.avail_out = static_cast<unsigned>(wanted);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) RETURN_IF_ERROR(Fill());
      if (stream_.avail_in == 0) break;
      RETURN_IF_ERROR(Inflate());
    }
    const size_t done = wanted - stream_.avail_out;
    if (stream_.avail_out == 0 && done < count) {
      ASSIGN_OR_RETURN(const size_t more, Read(to + done, count - done));
      return done + more;
    }
    if (done < count && inside_) return DataLoss("compressed bytes end in the middle");
    return done;
  }

 private:
  Status Fill() {
    ASSIGN_OR_RETURN(const size_t found, in_->Read(buffer_.data(), buffer_.size()));
    stream_.next_in = reinterpret_cast<const unsigned char*>(buffer_.data());
    stream_.avail_in = static_cast<unsigned>(found);
    return OkStatus();
  }
  // One file may be several compressed ones, one after the other.
  Status Inflate() {
    inside_ = true;
    const int code = zlib_->inflate(&stream_, kNoFlush);
    if (code == kStreamEnd) {
      inside_ = false;
      zlib_->inflate_reset(&stream_);
    } else if (code != kOk && code != kBufError) {
      return DataLoss("compressed bytes are damaged",
                      stream_.msg == nullptr ? "" : StrCat(": ", stream_.msg));
    }
    return OkStatus();
  }

  const Zlib* zlib_;
  std::unique_ptr<InputStream> in_;
  std::string buffer_;
  ZStream stream_ = {};
  bool inside_ = false;  // a compressed file has begun and not ended
};

class StringOutput final : public OutputStream {
 public:
  explicit StringOutput(std::string* out) : out_(out) {}
  Status Append(std::string_view bytes) override { out_->append(bytes); return OkStatus(); }
  Status Flush() override { return OkStatus(); }
  Status Close() override { return OkStatus(); }

 private:
  std::string* out_;
};

}  // namespace

Result<Compression> CompressionOf(const std::string& name) {
  if (name.empty()) return Compression::kNone;
  if (name == "ZLIB") return Compression::kZlib;
  if (name == "GZIP") return Compression::kGzip;
  return InvalidArgument("no compression is called ", name, ": there are ZLIB and GZIP");
}

Result<std::unique_ptr<OutputStream>> Compressed(std::unique_ptr<OutputStream> out,
                                                 Compression compression, int level) {
  if (compression == Compression::kNone) return out;
  ASSIGN_OR_RETURN(const Zlib* zlib, GetZlib());
  auto stream = std::make_unique<DeflateOutput>(zlib, std::move(out));
  RETURN_IF_ERROR(stream->Init(compression, level, kDefaultStrategy));
  return std::unique_ptr<OutputStream>(std::move(stream));
}

Result<std::unique_ptr<InputStream>> Decompressed(std::unique_ptr<InputStream> in,
                                                  Compression compression) {
  if (compression == Compression::kNone) return in;
  ASSIGN_OR_RETURN(const Zlib* zlib, GetZlib());
  auto stream = std::make_unique<InflateInput>(zlib, std::move(in));
  RETURN_IF_ERROR(stream->Init(compression));
  return std::unique_ptr<InputStream>(std::move(stream));
}

Result<std::string> CompressDifferences(std::string_view bytes, int level) {
  ASSIGN_OR_RETURN(const Zlib* zlib, GetZlib());
  std::string compressed;
  DeflateOutput stream(zlib, std::make_unique<StringOutput>(&compressed));
  RETURN_IF_ERROR(stream.Init(Compression::kZlib, level, kFiltered));
  while (!bytes.empty()) {
    ThrowIfStopped();
    const std::string_view part = bytes.substr(0, kChunk);
    RETURN_IF_ERROR(stream.Append(part));
    bytes.remove_prefix(part.size());
  }
  RETURN_IF_ERROR(stream.Close());
  return compressed;
}

Result<uint32_t> ZlibCrc32(std::string_view bytes) {
  ASSIGN_OR_RETURN(const Zlib* zlib, GetZlib());
  unsigned long crc = 0;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, size_t{1} << 30);
    crc = zlib->crc32(crc, Bytes(part), static_cast<unsigned>(part.size()));
    bytes.remove_prefix(part.size());
  }
  return static_cast<uint32_t>(crc);
}

}  // namespace tfbuild
