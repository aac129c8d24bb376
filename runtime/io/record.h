#pragma once

#include <memory>
#include <string>

#include "io/stream.h"
#include "io/zlib.h"

namespace tfbuild {

// TFRecord files: for each record its length (8 bytes), the masked CRC of those 8 (4 bytes), the
// bytes themselves, and their masked CRC (4 bytes); the whole file may be compressed.
// https://www.tensorflow.org/tutorials/load_data/tfrecord

class RecordWriter {
 public:
  explicit RecordWriter(std::unique_ptr<OutputStream> out) : out_(std::move(out)) {}
  Status Write(std::string_view record);
  Status Flush() { return out_->Flush(); }
  Status Close() { return out_->Close(); }

 private:
  std::unique_ptr<OutputStream> out_;
};

class RecordReader {
 public:
  explicit RecordReader(std::unique_ptr<InputStream> in) : in_(std::move(in)) {}
  // Puts the next record into `record` and returns true; false at the end of the file. DataLoss
  // for a record that is cut short or damaged. Takes no more memory than the file has bytes,
  // whatever length it announces.
  Result<bool> Read(std::string* record);
  // Where the next record begins, in bytes before compression.
  uint64_t offset() const { return offset_; }

 private:
  Status ReadBody(uint64_t size, std::string* record);
  std::unique_ptr<InputStream> in_;
  uint64_t offset_ = 0;
};

}  // namespace tfbuild
