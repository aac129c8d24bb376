#pragma once

#include <memory>

#include "io/stream.h"

namespace tfbuild {

// The two frames that zlib puts around the same compressed bytes.
enum class Compression { kNone, kZlib, kGzip };

// Compression::kNone for "", kZlib and kGzip for "ZLIB" and "GZIP"; InvalidArgument for others.
Result<Compression> CompressionOf(const std::string& name);

// Compresses into another stream, which it closes with itself. Unimplemented where the system has
// no zlib: the library is opened when it is first needed, since every manylinux system has it.
Result<std::unique_ptr<OutputStream>> Compressed(std::unique_ptr<OutputStream> out,
                                                 Compression compression, int level = -1);
// What another stream holds compressed; reading it gives DataLoss where the bytes are damaged.
Result<std::unique_ptr<InputStream>> Decompressed(std::unique_ptr<InputStream> in,
                                                  Compression compression);
// `bytes` compressed, in zlib's frame, as suits differences of neighbours, which are mostly small.
Result<std::string> CompressDifferences(std::string_view bytes, int level = -1);
// The CRC of gzip and PNG.
Result<uint32_t> ZlibCrc32(std::string_view bytes);

}  // namespace tfbuild
