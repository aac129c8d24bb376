#include "kernels/data/file_lines.h"

#include "io/file.h"
#include "io/zlib.h"

namespace tfbuild {
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

}  // namespace tfbuild
