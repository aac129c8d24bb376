#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/stream.h"
#include "kernels/data/dataset.h"

namespace tfbuild {

// What a dataset of files reads: file after file, each compressed alike.
struct FileList {
  std::vector<std::string> names;
  std::string compression;  // "", "ZLIB" or "GZIP"
};

// The files, and how they say they are compressed, that inputs 0 and `compression_input` of a node name.
Result<FileList> FilesOf(const OpKernelContext& context, int compression_input);
// Opens one, decompressing; NotFound, InvalidArgument for an unknown compression.
Result<std::unique_ptr<InputStream>> OpenStream(const std::string& name,
                                                const std::string& compression);

// Reads pieces that end with a character, with a buffer of its own.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<InputStream> in) : in_(std::move(in)) {}
  // The next line without its end ("\n" or "\r\n"); false at the end of the stream. A line longer than
  // kMaxLine is InvalidArgument.
  Result<bool> Read(std::string* line);
  // The next character; false at the end of the stream.
  Result<bool> ReadChar(char* c);

  static constexpr size_t kMaxLine = size_t{1} << 31;

 private:
  Result<bool> Fill();
  std::unique_ptr<InputStream> in_;
  std::string buffer_;
  size_t at_ = 0;
};

}  // namespace tfbuild
