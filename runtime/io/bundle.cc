// The messages of a checkpoint, the names of its files, and how they get them.
#include "io/bundle.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/stop.h"
#include "graph/tensor_proto.h"
#include "graph/wire_format.h"
#include "io/temporary_name.h"

namespace tfbuild {
namespace {

// Fields of BundleHeaderProto and BundleEntryProto.
constexpr int kNumShards = 1, kVersion = 3, kProducer = 1, kOurVersion = 1;
constexpr int kDtype = 1, kShape = 2, kShard = 3, kOffset = 4, kSize = 5, kCrc = 6, kSlices = 7;

std::string HeaderOf(int shards) {
  WireWriter version;
  version.Int(kProducer, kOurVersion);
  WireWriter header;
  header.Int(kNumShards, shards);
  header.Bytes(kVersion, version.Take());
  return header.Take();
}

// Writes the index beside its place and moves it there. The shards of the entries are moved by
// `first_shard`.
Status WriteIndex(const std::string& prefix, const BundleEntries& entries, int shards,
                  int first_shard) {
  const std::string path = BundleIndexName(prefix);
  const std::string temporary = TemporaryName(path);
  ASSIGN_OR_RETURN(const std::unique_ptr<FileOutput> file,
                   FileOutput::Open(temporary, FileOutput::Mode::kTruncate));
  const Status written = [&] {
    TableBuilder table(file.get());
    RETURN_IF_ERROR(table.Add("", HeaderOf(shards)));
    for (const auto& [key, entry] : entries) {
      BundleEntry moved = entry;
      if (entry.slices.empty()) moved.shard += first_shard;
      RETURN_IF_ERROR(table.Add(key, moved.Serialize()));
    }
    RETURN_IF_ERROR(table.Finish());
    RETURN_IF_ERROR(file->Close());
    return RenameFile(temporary, path);
  }();
  if (!written.ok()) unlink(temporary.c_str());
  return written;
}

// How many files of data the checkpoint of that prefix has; 0 where there is none that can be read.
int ShardsOf(const std::string& prefix) {
  const auto reader = BundleReader::Open(prefix);
  return reader.ok() ? (*reader)->shards() : 0;
}

Status MoveData(const std::string& prefix, const std::vector<std::string>& files, int first_shard,
                int shards) {
  int shard = first_shard;
  for (const std::string& file : files) {
    RETURN_IF_ERROR(RenameFile(file, BundleDataName(prefix, shard++, shards)));
  }
  return OkStatus();
}

void RemoveData(const std::string& prefix, int shards) {
  for (int i = 0; i < shards; ++i) unlink(BundleDataName(prefix, i, shards).c_str());
}

// Keeps other writers of checkpoints out of a folder, in this process and in others: two that take the
// place of the same checkpoint would mix their files. The folder itself is locked, so that no file is
// left behind; a system that cannot lock one lets all of them go on.
class FolderLock {
 public:
  ~FolderLock() {
    if (file_ >= 0) close(file_);
  }
  // Unavailable where another has it for too long.
  Status Take(const std::string& prefix) {
    const size_t slash = prefix.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : prefix.substr(0, slash + 1);
    file_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file_ < 0) return OkStatus();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return OkStatus();
      if (std::chrono::steady_clock::now() > end) {
        return Status(Code::kUnavailable,
                      StrCat("another writer of checkpoints has the folder of ", prefix,
                             " for more than a minute"));
      }
      ThrowIfStopped();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return OkStatus();
  }

 private:
  int file_ = -1;
};

// Gives files of data a second name that another file may have; false where the system has none.
bool LinkData(const std::string& prefix, int shards) {
  for (int i = 0; i < shards; ++i) {
    const std::string target = BundleDataName(prefix, i, shards);
    const std::string temporary = TemporaryName(target);
    const std::string source = BundleDataName(prefix, shards + i, 2 * shards);
    if (link(source.c_str(), temporary.c_str()) != 0) return false;
    if (!RenameFile(temporary, target).ok()) {
      unlink(temporary.c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

std::string BundleIndexName(const std::string& prefix) { return prefix + ".index"; }

std::string BundleDataName(const std::string& prefix, int shard, int shards) {
  char number[64];
  std::snprintf(number, sizeof(number), ".data-%05d-of-%05d", shard, shards);
  return prefix + number;
}

Result<BundleEntry> BundleEntry::Parse(std::string_view message) {
  BundleEntry entry;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    switch (field.number) {
      case kDtype: entry.dtype = static_cast<int>(field.varint); break;
      case kShard: entry.shard = static_cast<int>(field.varint); break;
      case kOffset: entry.offset = field.varint; break;
      case kSize: entry.size = field.varint; break;
      case kCrc: entry.masked_crc = static_cast<uint32_t>(field.varint); break;
      case kShape: {
        ASSIGN_OR_RETURN(const PartialShape shape, ParseShape(field.bytes));
        ASSIGN_OR_RETURN(entry.shape, shape.ToShape());
        break;
      }
      case kSlices: {
        ASSIGN_OR_RETURN(TensorSlice slice, TensorSlice::ParseMessage(field.bytes));
        entry.slices.push_back(std::move(slice));
        break;
      }
      default: break;
    }
  }
  return entry;
}

std::string BundleEntry::Serialize() const {
  WireWriter message;
  if (dtype != 0) message.Int(kDtype, dtype);
  message.Bytes(kShape, SerializeShape(PartialShape(shape)));
  if (shard != 0) message.Int(kShard, shard);
  if (offset != 0) message.Int(kOffset, static_cast<int64_t>(offset));
  if (size != 0) message.Int(kSize, static_cast<int64_t>(size));
  if (masked_crc != 0) message.Fixed32(kCrc, masked_crc);
  for (const TensorSlice& slice : slices) message.Bytes(kSlices, slice.SerializeMessage());
  return message.Take();
}

// Where a checkpoint is to take the place of another with as many files, the names of both would be
// the same, and no file system replaces two files at once. So the data first get names of a
// checkpoint of twice as many files, of which only the second half is there; then the index names
// those, and they get the old ones' names beside; then the index names these.
Status PublishBundle(const std::string& prefix, const std::vector<std::string>& data_files,
                     const BundleEntries& entries) {
  FolderLock lock;
  RETURN_IF_ERROR(lock.Take(prefix));
  const int shards = static_cast<int>(data_files.size());
  const int before = ShardsOf(prefix);
  if (before != shards) {
    RETURN_IF_ERROR(MoveData(prefix, data_files, 0, shards));
    RETURN_IF_ERROR(WriteIndex(prefix, entries, shards, 0));
    RemoveData(prefix, before);
    return OkStatus();
  }
  RETURN_IF_ERROR(MoveData(prefix, data_files, shards, 2 * shards));
  RETURN_IF_ERROR(WriteIndex(prefix, entries, 2 * shards, shards));
  if (LinkData(prefix, shards)) {
    RETURN_IF_ERROR(WriteIndex(prefix, entries, shards, 0));
    RemoveData(prefix, 2 * shards);
  } else {
    RemoveData(prefix, shards);
  }
  return OkStatus();
}

Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& destination) {
  BundleEntries merged;
  std::vector<std::string> files;
  for (const std::string& prefix : prefixes) {
    ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> reader, BundleReader::Open(prefix));
    const int first = static_cast<int>(files.size());
    for (int i = 0; i < reader->shards(); ++i) {
      files.push_back(BundleDataName(prefix, i, reader->shards()));
    }
    for (const auto& [key, entry] : reader->entries()) {
      BundleEntry moved = entry;
      if (entry.slices.empty()) moved.shard += first;
      const auto [place, is_new] = merged.emplace(key, moved);
      if (is_new) continue;
      // Parts of one tensor may lie in several.
      BundleEntry& other = place->second;
      if (entry.slices.empty() || other.slices.empty() || other.dtype != entry.dtype ||
          other.shape != entry.shape) {
        return InvalidArgument("several of the checkpoints have a tensor ", key);
      }
      other.slices.insert(other.slices.end(), entry.slices.begin(), entry.slices.end());
    }
  }
  RETURN_IF_ERROR(PublishBundle(destination, files, merged));
  for (const std::string& prefix : prefixes) unlink(BundleIndexName(prefix).c_str());
  return OkStatus();
}

}  // namespace tfbuild
