#include "io/old_checkpoint.h"

#include "graph/tensor_proto.h"
#include "graph/wire_format.h"

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

Result<std::unique_ptr<OldCheckpoint>> OldCheckpoint::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<Table> table, Table::Open(path));
  std::unique_ptr<OldCheckpoint> checkpoint(new OldCheckpoint(std::move(table)));
  RETURN_IF_ERROR(checkpoint->ReadMeta().Annotate(path));
  return checkpoint;
}

Status OldCheckpoint::ReadMeta() {
  std::string message;
  ASSIGN_OR_RETURN(const bool found, table_->Get("", &message));
  if (!found) return DataLoss("the table is no checkpoint");
  ASSIGN_OR_RETURN(const std::string_view meta, FieldOf(message, kMeta));
  WireReader reader(meta);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == kTensor) RETURN_IF_ERROR(AddTensor(field.bytes));
  }
  return OkStatus();
}

Status OldCheckpoint::AddTensor(std::string_view message) {
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
  const uint64_t count = static_cast<uint64_t>(entry.shape.num_elements());
  if (entry.slices.empty() || count > table_->file_size() * kMostGrowth) {
    return DataLoss("the file is too small for a tensor of shape ", entry.shape);
  }
  for (const TensorSlice& slice : entry.slices) {
    BundleEntry part;
    part.dtype = entry.dtype;
    ASSIGN_OR_RETURN(part.shape, slice.ShapeIn(entry.shape));
    entries_[SliceKey(name, slice)] = part;
  }
  entries_[name] = entry;
  return OkStatus();
}

Result<Tensor> OldCheckpoint::ReadPart(const std::string& key, const BundleEntry& part) const {
  std::string message;
  ASSIGN_OR_RETURN(const bool found, table_->Get(key, &message));
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
