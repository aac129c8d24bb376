#include "io/old_checkpoint.h"

#include <set>

#include "graph/tensor_proto.h"
#include "graph/wire_format.h"
#include "io/matching_files.h"

namespace tfbuild {
namespace {

// Fields of SavedTensorSlices, SavedTensorSliceMeta, SavedSliceMeta and SavedSlice.
constexpr int kMeta = 1, kData = 2, kTensor = 1, kValues = 3;
constexpr int kName = 1, kShape = 2, kType = 3, kSlice = 4;
// A number of 8 bytes may be one byte in the file, and a block 32 times as large as there.
constexpr uint64_t kMostGrowth = 8 * 32;

// The bytes of a field that is a message; empty where there is none.
Result<std::string_view> FieldOf(std::string_view message, int number) {
  std::string_view found;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == number) found = field.bytes;
  }
  return found;
}

}  // namespace

bool OldCheckpoint::Exists(const std::string& pattern) {
  return FileExists(pattern) || !MatchingFiles(pattern).empty();
}

Result<std::unique_ptr<OldCheckpoint>> OldCheckpoint::Open(const std::string& pattern) {
  std::set<std::string> paths{pattern};
  if (!FileExists(pattern)) paths = MatchingFiles(pattern);
  if (paths.empty()) return NotFound("no file matches ", pattern);
  auto checkpoint = std::make_unique<OldCheckpoint>();
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(std::unique_ptr<Table> table, Table::Open(path));
    checkpoint->tables_.push_back(std::move(table));
    RETURN_IF_ERROR(checkpoint->ReadMeta(checkpoint->tables_.size() - 1).Annotate(path));
  }
  RETURN_IF_ERROR(checkpoint->CheckSizes().Annotate(pattern));
  return checkpoint;
}

Status OldCheckpoint::ReadMeta(size_t file) {
  std::string message;
  ASSIGN_OR_RETURN(const bool found, tables_[file]->Get("", &message));
  if (!found) return DataLoss("the table is no checkpoint");
  ASSIGN_OR_RETURN(const std::string_view meta, FieldOf(message, kMeta));
  WireReader reader(meta);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == kTensor) RETURN_IF_ERROR(AddTensor(field.bytes, file));
  }
  return OkStatus();
}

Status OldCheckpoint::AddTensor(std::string_view message, size_t file) {
  std::string name;
  BundleEntry entry;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == kName) name = field.bytes;
    if (field.number == kType) entry.dtype = static_cast<int>(field.varint);
    if (field.number == kShape) {
      ASSIGN_OR_RETURN(const PartialShape shape, ParseShape(field.bytes));
      ASSIGN_OR_RETURN(entry.shape, shape.ToShape());
    }
    if (field.number == kSlice) {
      ASSIGN_OR_RETURN(TensorSlice slice, TensorSlice::ParseMessage(field.bytes));
      entry.slices.push_back(std::move(slice));
    }
  }
  if (name.empty() || entry.slices.empty()) return DataLoss("a tensor without a name or without parts");
  const auto [place, is_new] = entries_.emplace(name, entry);
  BundleEntry& whole = place->second;
  if (whole.dtype != entry.dtype || whole.shape != entry.shape) {
    return DataLoss("the parts of ", name, " are not of one tensor");
  }
  if (!is_new) whole.slices.insert(whole.slices.end(), entry.slices.begin(), entry.slices.end());
  return AddParts(name, entry, file);
}

Status OldCheckpoint::AddParts(const std::string& name, const BundleEntry& entry, size_t file) {
  for (const TensorSlice& slice : entry.slices) {
    BundleEntry part;
    part.dtype = entry.dtype;
    ASSIGN_OR_RETURN(part.shape, slice.ShapeIn(entry.shape));
    const std::string key = SliceKey(name, slice);
    if (!files_.emplace(key, file).second) return DataLoss("a part of ", name, " is there twice");
    entries_[key] = std::move(part);
  }
  return OkStatus();
}

Status OldCheckpoint::CheckSizes() const {
  uint64_t bytes = 0;
  for (const auto& table : tables_) bytes += table->file_size();
  for (const auto& [key, entry] : entries_) {
    if (static_cast<uint64_t>(entry.shape.num_elements()) <= bytes * kMostGrowth) continue;
    return DataLoss("the files are too small for a tensor of shape ", entry.shape);
  }
  return OkStatus();
}

Result<Tensor> OldCheckpoint::ReadPart(const std::string& key, const BundleEntry& part) const {
  const auto file = files_.find(key);
  if (file == files_.end()) return DataLoss("a part of a tensor is in none of the files");
  std::string message;
  ASSIGN_OR_RETURN(const bool found, tables_[file->second]->Get(key, &message));
  if (!found) return DataLoss("a part of a tensor is not in the checkpoint");
  ASSIGN_OR_RETURN(const std::string_view data, FieldOf(message, kData));
  ASSIGN_OR_RETURN(const std::string_view values, FieldOf(data, kValues));
  // The values are a TensorProto without type and shape.
  WireWriter whole;
  whole.Int(1, part.dtype);
  whole.Bytes(2, SerializeShape(PartialShape(part.shape)));
  ParseBudget none;
  none.repeated_bytes = 0;
  return ParseTensor(whole.Take().append(values), &none);
}

}  // namespace tfbuild
