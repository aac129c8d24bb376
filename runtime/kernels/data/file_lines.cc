#include "kernels/data/file_lines.h"

#include <cstring>

#include "io/file.h"
#include "io/zlib.h"

namespace tfbuild {
namespace {

constexpr size_t kBuffer = size_t{256} << 10;

}  // namespace

Result<FileList> FilesOf(const OpKernelContext& context, int compression_input) {
  FileList files;
  ASSIGN_OR_RETURN(files.names, StringsAt(context, 0, "filenames"));
  if (compression_input > 0) {
    ASSIGN_OR_RETURN(files.compression,
                     ScalarAt<std::string>(context, compression_input, "compression_type"));
  }
  return files;
}

Result<std::unique_ptr<InputStream>> OpenStream(const std::string& name,
                                                const std::string& compression) {
  ASSIGN_OR_RETURN(const Compression kind, CompressionOf(compression));
  ASSIGN_OR_RETURN(std::unique_ptr<FileInput> file, FileInput::Open(name));
  if (kind == Compression::kNone) return std::unique_ptr<InputStream>(std::move(file));
  return Decompressed(std::move(file), kind);
}

Result<bool> LineReader::Fill() {
  buffer_.resize(kBuffer);
  at_ = 0;
  Result<size_t> count = in_->Read(buffer_.data(), kBuffer);
  buffer_.resize(count.ok() ? *count : 0);
  RETURN_IF_ERROR(count.status());
  return *count > 0;
}

Result<bool> LineReader::Read(std::string* line) {
  line->clear();
  bool any = false;
  while (true) {
    if (at_ == buffer_.size()) {
      ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) break;
    }
    any = true;
    const char* from = buffer_.data() + at_;
    const size_t left = buffer_.size() - at_;
    const void* end = std::memchr(from, '\n', left);
    const size_t count =
        end == nullptr ? left : static_cast<size_t>(static_cast<const char*>(end) - from);
    if (line->size() + count > kMaxLine) return InvalidArgument("a line is too long");
    line->append(from, count);
    at_ += count;
    if (end == nullptr) continue;
    ++at_;
    break;
  }
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return any;
}

Result<bool> LineReader::ReadChar(char* c) {
  if (at_ == buffer_.size()) {
    ASSIGN_OR_RETURN(const bool more, Fill());
    if (!more) return false;
  }
  *c = buffer_[at_++];
  return true;
}

}  // namespace tfbuild
