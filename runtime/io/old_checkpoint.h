#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/bundle.h"
#include "io/table.h"

namespace tfbuild {

// Checkpoints as TensorFlow wrote them before version 0.12: tables with a message about the tensors
// and a message with the values of each part, in one file or in several (PREFIX-00000-of-00002, ...).
// https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/util/saved_tensor_slice.proto
class OldCheckpoint {
 public:
  // Of the files that a pattern names, or of one. NotFound where there is none, DataLoss for one that
  // is no checkpoint and for files that do not go together.
  static Result<std::unique_ptr<OldCheckpoint>> Open(const std::string& pattern);
  // Whether there is a file of that name or pattern.
  static bool Exists(const std::string& pattern);
  // All tensors, each made of parts, and these parts by their keys (SliceKey).
  const BundleEntries& entries() const { return entries_; }
  Result<Tensor> ReadPart(const std::string& key, const BundleEntry& part) const;

 private:
  Status ReadMeta(size_t file);
  Status AddTensor(std::string_view message, size_t file);
  Status AddParts(const std::string& name, const BundleEntry& entry, size_t file);
  // Asks that no tensor is larger than the files can hold.
  Status CheckSizes() const;
  std::vector<std::unique_ptr<Table>> tables_;
  std::map<std::string, size_t> files_;  // the number of the file of each part
  BundleEntries entries_;
};

// Writes such a checkpoint of one file. The file appears with Finish, in place of what has its name.
class OldCheckpointWriter {
 public:
  explicit OldCheckpointWriter(std::string path) : path_(std::move(path)) {}
  // A host tensor by its name, or a part of one. InvalidArgument for a name that there is and for a
  // part of 2 GiB or more, which no message can hold; Unimplemented for types without a field in it.
  Status Add(const std::string& name, const SliceSpec& spec, const Tensor& tensor);
  Status Finish();

 private:
  struct Part {
    std::string name;
    TensorSlice slice;
    Tensor tensor;
  };
  std::string SerializeMeta() const;
  Status WriteTable(OutputStream* file) const;

  const std::string path_;
  BundleEntries tensors_;
  std::map<std::string, Part> parts_;  // by their keys
};

}  // namespace tfbuild
