#include <unistd.h>

#include <limits>

#include "graph/tensor_proto.h"
#include "graph/wire_format.h"
#include "io/old_checkpoint.h"
#include "io/temporary_name.h"

namespace tfbuild {
namespace {

// Fields of SavedTensorSlices, SavedTensorSliceMeta, SavedSliceMeta, SavedSlice and VersionDef.
constexpr int kMeta = 1, kData = 2;
constexpr int kTensor = 1, kVersions = 2, kProducer = 1, kOurVersion = 1;
constexpr int kName = 1, kShape = 2, kType = 3, kSlices = 4;
constexpr int kSlice = 2, kValues = 3;
constexpr size_t kMostBytes = std::numeric_limits<int32_t>::max();

std::string SerializeData(const std::string& name, const TensorSlice& slice, std::string_view values) {
  WireWriter data;
  data.Bytes(kName, name);
  data.Bytes(kSlice, slice.SerializeMessage());
  data.Bytes(kValues, values);
  WireWriter message;
  message.Bytes(kData, data.Take());
  return message.Take();
}

}  // namespace

Status OldCheckpointWriter::Add(const std::string& name, const SliceSpec& spec, const Tensor& tensor) {
  if (name.empty()) return InvalidArgument("a tensor without a name cannot be saved");
  const Shape& shape = spec.is_whole ? tensor.shape() : spec.full_shape;
  const TensorSlice slice = spec.is_whole ? TensorSlice::Whole(shape.rank()) : spec.slice;
  ASSIGN_OR_RETURN(const Shape part, slice.ShapeIn(shape));
  if (part != tensor.shape()) {
    return InvalidArgument("the slice ", slice.ToString(), " of ", name, " has shape ", part,
                           ", its tensor ", tensor.shape());
  }
  BundleEntry& whole = tensors_[name];
  if (whole.slices.empty()) {
    whole.dtype = static_cast<int>(tensor.dtype());
    whole.shape = shape;
  }
  if (whole.dtype != static_cast<int>(tensor.dtype()) || whole.shape != shape) {
    return InvalidArgument("the slices of ", name, " are not of one tensor");
  }
  if (!parts_.emplace(SliceKey(name, slice), Part{name, slice, tensor}).second) {
    return InvalidArgument("the tensor ", name, " is saved twice");
  }
  whole.slices.push_back(slice);
  return OkStatus();
}

std::string OldCheckpointWriter::SerializeMeta() const {
  WireWriter meta;
  for (const auto& [name, entry] : tensors_) {
    WireWriter tensor;
    tensor.Bytes(kName, name);
    tensor.Bytes(kShape, SerializeShape(PartialShape(entry.shape)));
    tensor.Int(kType, entry.dtype);
    for (const TensorSlice& slice : entry.slices) tensor.Bytes(kSlices, slice.SerializeMessage());
    meta.Bytes(kTensor, tensor.Take());
  }
  WireWriter version;
  version.Int(kProducer, kOurVersion);
  meta.Bytes(kVersions, version.Take());
  WireWriter message;
  message.Bytes(kMeta, meta.Take());
  return message.Take();
}

Status OldCheckpointWriter::WriteTable(OutputStream* file) const {
  TableBuilder table(file);
  RETURN_IF_ERROR(table.Add("", SerializeMeta()));
  for (const auto& [key, part] : parts_) {
    ASSIGN_OR_RETURN(const std::string values, SerializeTensorValues(part.tensor));
    const std::string message = SerializeData(part.name, part.slice, values);
    if (message.size() > kMostBytes) {
      return InvalidArgument(part.name, " is too large for a checkpoint of version 1: ", message.size(),
                             " bytes in one message");
    }
    RETURN_IF_ERROR(table.Add(key, message));
  }
  return table.Finish();
}

Status OldCheckpointWriter::Finish() {
  const std::string temporary = TemporaryName(path_);
  ASSIGN_OR_RETURN(const std::unique_ptr<FileOutput> file,
                   FileOutput::Open(temporary, FileOutput::Mode::kNew));
  const Status written = [&] {
    RETURN_IF_ERROR(WriteTable(file.get()));
    RETURN_IF_ERROR(file->Close());
    return RenameFile(temporary, path_);
  }();
  if (!written.ok()) unlink(temporary.c_str());
  return written;
}

}  // namespace tfbuild
