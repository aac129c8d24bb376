#pragma once

#include <memory>
#include <string>

#include "io/bundle.h"
#include "io/table.h"

namespace tfbuild {

// Checkpoints as TensorFlow wrote them before version 0.12: one table with a message about all
// tensors and a message with the values of each part. Only read.
// https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/util/saved_tensor_slice.proto
class OldCheckpoint {
 public:
  // DataLoss for a file that is none.
  static Result<std::unique_ptr<OldCheckpoint>> Open(const std::string& path);
  // All tensors, each made of parts, and these parts by their keys (SliceKey).
  const BundleEntries& entries() const { return entries_; }
  Result<Tensor> ReadPart(const std::string& key, const BundleEntry& part) const;

 private:
  explicit OldCheckpoint(std::unique_ptr<Table> table) : table_(std::move(table)) {}
  Status ReadMeta();
  Status AddTensor(std::string_view message);
  std::unique_ptr<Table> table_;
  BundleEntries entries_;
};

}  // namespace tfbuild
