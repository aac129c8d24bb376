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

}  // namespace tfbuild
