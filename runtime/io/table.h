#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.h"
#include "io/stream.h"

namespace tfbuild {

// Sorted tables of keys and values as LevelDB and TensorFlow write them: blocks of entries whose
// keys share prefixes, an index of the blocks, and a footer; each block has a type and a checksum.
// https://github.com/google/leveldb/blob/main/doc/table_format.md

class TableBuilder {
 public:
  explicit TableBuilder(OutputStream* out) : out_(out) {}
  // Keys come in ascending order, each once.
  Status Add(std::string_view key, std::string_view value);
  // Writes what is left; nothing may be added afterwards. Does not close the stream.
  Status Finish();

 private:
  class Block {
   public:
    explicit Block(int restart_interval) : restart_interval_(restart_interval) {}
    void Add(std::string_view key, std::string_view value);
    size_t size() const { return bytes_.size() + 4 * restarts_.size(); }
    bool empty() const { return entries_ == 0; }
    std::string Take();

   private:
    const int restart_interval_;
    std::string bytes_;
    std::vector<uint32_t> restarts_ = {0};
    std::string last_key_;
    int since_restart_ = 0;
    int entries_ = 0;
  };

  // Where a block lies, as the index and the footer have it.
  Result<std::string> WriteBlock(Block* block);
  Status EndBlock();
  // Notes the last block, whose keys are not after `key`.
  void AddToIndex(const std::string& key);

  OutputStream* out_;
  uint64_t offset_ = 0;
  Block data_{16};
  Block index_{1};
  std::string last_key_;
  std::string last_place_;  // of a block that is not in the index yet
};

// A table in a file. Thread-safe. Takes no more memory than a block has bytes, or 32 times as many
// where it is compressed.
class Table {
 public:
  // DataLoss for a file that is no table or whose index is damaged.
  static Result<std::unique_ptr<Table>> Open(const std::string& path);

  using Visitor = std::function<Status(std::string_view key, std::string_view value)>;
  // Calls `visit` for all entries in the order of their keys, until one is an error.
  Status ForEach(const Visitor& visit) const;
  uint64_t file_size() const { return file_->size(); }
  // Puts the value of a key into `value`; false when there is none.
  Result<bool> Get(std::string_view key, std::string* value) const;

 private:
  struct Place {
    uint64_t offset;
    uint64_t size;
  };
  struct IndexEntry {
    std::string last_key;  // no key of the block comes after it
    Place place;
  };
  explicit Table(std::unique_ptr<RandomAccessFile> file) : file_(std::move(file)) {}
  Status ReadIndex();
  Result<std::string> ReadBlock(const Place& place) const;
  static Result<Place> TakePlace(std::string_view* rest);
  Status VisitBlock(const Place& place, const Visitor& visit) const;

  std::unique_ptr<RandomAccessFile> file_;
  std::vector<IndexEntry> index_;
};

}  // namespace tfbuild
