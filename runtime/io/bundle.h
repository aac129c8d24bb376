#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/file.h"
#include "io/table.h"
#include "io/tensor_slice.h"
#include "tensor/tensor.h"

namespace tfbuild {

// TensorFlow's checkpoints (version 2, "tensor bundles"): PREFIX.index is a table from the names of
// tensors to messages that say where each lies in PREFIX.data-00000-of-00001, -00001-of-00002, ...
// https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/protobuf/tensor_bundle.proto

// The message BundleEntryProto: one tensor.
struct BundleEntry {
  int dtype = 0;  // TensorFlow's number, which may be one that the runtime lacks
  Shape shape;
  int shard = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t masked_crc = 0;
  std::vector<TensorSlice> slices;  // of a tensor that was saved in parts, whose data have other keys

  static Result<BundleEntry> Parse(std::string_view message);
  std::string Serialize() const;
};

class OldCheckpoint;
using BundleEntries = std::map<std::string, BundleEntry>;

// "PREFIX.index", "PREFIX.data-00001-of-00002".
std::string BundleIndexName(const std::string& prefix);
std::string BundleDataName(const std::string& prefix, int shard, int shards);

// Gives files of data, in their order, and an index of their entries the names that the prefix has;
// what was a checkpoint of that prefix stays one until the new one is. Data that were put into
// place are theirs even when a later step fails.
Status PublishBundle(const std::string& prefix, const std::vector<std::string>& data_files,
                     const BundleEntries& entries);

// Writes a checkpoint of one file of data. Nothing of the prefix changes before Finish, and what was
// written is removed when there was none.
class BundleWriter {
 public:
  // Makes the folder where its own parent is there.
  static Result<std::unique_ptr<BundleWriter>> Open(const std::string& prefix);
  ~BundleWriter();
  // A host tensor by its name, or a part of one; InvalidArgument for a name that there is.
  Status Add(const std::string& name, const SliceSpec& spec, const Tensor& tensor);
  Status Finish();

 private:
  BundleWriter(std::string prefix, std::string temporary, std::unique_ptr<FileOutput> data)
      : prefix_(std::move(prefix)), temporary_(std::move(temporary)), data_(std::move(data)) {}
  Status AddData(const std::string& key, const Tensor& tensor);
  Result<uint32_t> WriteNumbers(const Tensor& tensor);
  Result<uint32_t> WriteStrings(const Tensor& tensor);

  const std::string prefix_;
  const std::string temporary_;
  std::unique_ptr<FileOutput> data_;
  BundleEntries entries_;
};

// Reads a checkpoint: of version 2 by its prefix, of version 1 by the name of its file or a pattern of
// several. Thread-safe. Every checksum is verified, and no memory is asked for that the files do not
// fill.
class BundleReader {
 public:
  // NotFound where there is none, DataLoss where the index is damaged.
  static Result<std::unique_ptr<BundleReader>> Open(const std::string& prefix);

  ~BundleReader();

  // All tensors by name, without the parts of which some are made.
  BundleEntries Entries() const;
  // NotFound with the name of the checkpoint.
  Result<const BundleEntry*> Find(const std::string& name) const;
  // The tensor, or the part of it that the spec asks for, in memory of the host.
  Result<Tensor> Read(const std::string& name, const SliceSpec& spec) const;
  int shards() const { return shards_; }
  // All entries, the parts too, by their keys.
  const BundleEntries& entries() const { return entries_; }

 private:
  explicit BundleReader(std::string prefix);
  Status ReadIndex();
  Result<const RandomAccessFile*> DataFile(int shard) const;
  Result<Tensor> ReadData(const BundleEntry& entry) const;
  Result<Tensor> ReadNumbers(const BundleEntry& entry, const RandomAccessFile& file) const;
  Result<Tensor> ReadStrings(const BundleEntry& entry, const RandomAccessFile& file) const;
  struct Part {
    TensorSlice slice;
    std::string key;
    const BundleEntry* entry;
  };
  Result<const RandomAccessFile*> CheckPlace(const BundleEntry& entry) const;
  Result<std::vector<Part>> PartsOf(const std::string& name, const BundleEntry& entry,
                                    const TensorSlice& wanted) const;
  Result<Tensor> ReadParts(const std::string& name, const BundleEntry& entry,
                           const TensorSlice& wanted) const;

  const std::string prefix_;
  int shards_ = 0;
  BundleEntries entries_;
  std::unique_ptr<OldCheckpoint> old_;  // of version 1; else null
  mutable std::mutex mutex_;
  mutable std::map<int, std::unique_ptr<RandomAccessFile>> files_;  // opened when needed
};

// Makes one checkpoint of several, whose files of data become its own.
Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& destination);

}  // namespace tfbuild
