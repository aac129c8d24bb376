#include <algorithm>
#include <set>

#include "graph/wire_format.h"
#include "io/bundle.h"
#include "io/coding.h"
#include "io/crc32c.h"
#include "io/old_checkpoint.h"

namespace tfbuild {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr int kNumShards = 1, kEndianness = 2, kVersion = 3, kMinConsumer = 2, kOurVersion = 1;
constexpr int kMostShards = 1 << 20;
constexpr uint64_t kSumBytes = 4;  // of the lengths of strings

Result<int> ShardsOfHeader(std::string_view message) {
  int64_t shards = 0;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == kNumShards) shards = field.as_int();
    if (field.number == kEndianness && field.varint != 0) {
      return Unimplemented("the checkpoint has its bytes in big-endian order");
    }
    if (field.number != kVersion) continue;
    WireReader version(field.bytes);
    while (!version.done()) {
      ASSIGN_OR_RETURN(const WireField number, version.Next());
      if (number.number == kMinConsumer && number.as_int() > kOurVersion) {
        return Unimplemented("the checkpoint is of a newer format: ", number.as_int());
      }
    }
  }
  if (shards < 1 || shards > kMostShards) return DataLoss("a checkpoint of ", shards, " files");
  return static_cast<int>(shards);
}

// Keys of parts begin with a byte that no name has: see SliceKey.
bool IsPart(const std::string& key) { return !key.empty() && key[0] == '\0'; }

Status Damaged(const RandomAccessFile& file, const BundleEntry& entry) {
  return DataLoss(file.path(), " is damaged: the checksum of the ", entry.size, " bytes at ",
                  entry.offset, " differs");
}

Result<DType> TypeOf(const BundleEntry& entry, const std::string& prefix) {
  const DType dtype = DTypeFromNumber(entry.dtype);
  if (dtype != DType::kInvalid && dtype != DType::kResource && dtype != DType::kVariant) return dtype;
  return Unimplemented(prefix, " has a tensor of TensorFlow's type ", entry.dtype,
                       ", which the runtime cannot read");
}

Result<Tensor> EmptyTensor(DType dtype, const Shape& shape) {
  if (dtype != DType::kString) return Tensor::Allocate(CpuAllocator(), dtype, shape);
  return Tensor::Strings(shape, std::vector<std::string>(static_cast<size_t>(shape.num_elements())));
}

}  // namespace

BundleReader::BundleReader(std::string prefix) : prefix_(std::move(prefix)) {}
BundleReader::~BundleReader() = default;

Result<std::unique_ptr<BundleReader>> BundleReader::Open(const std::string& prefix) {
  std::unique_ptr<BundleReader> reader(new BundleReader(prefix));
  if (!FileExists(BundleIndexName(prefix)) && OldCheckpoint::Exists(prefix)) {
    ASSIGN_OR_RETURN(reader->old_, OldCheckpoint::Open(prefix));
    reader->entries_ = reader->old_->entries();
    return reader;
  }
  RETURN_IF_ERROR(reader->ReadIndex());
  return reader;
}

Status BundleReader::ReadIndex() {
  const std::string path = BundleIndexName(prefix_);
  ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, Table::Open(path));
  const Status read = table->ForEach([this](std::string_view key, std::string_view value) -> Status {
    if (key.empty()) {
      ASSIGN_OR_RETURN(shards_, ShardsOfHeader(value));
      return OkStatus();
    }
    const Result<BundleEntry> entry = BundleEntry::Parse(value);
    if (!entry.ok()) return DataLoss("the entry of ", key, ": ", entry.status().message());
    entries_[std::string(key)] = *entry;
    return OkStatus();
  });
  RETURN_IF_ERROR(read);
  return shards_ > 0 ? OkStatus() : DataLoss(path, " has no header");
}

BundleEntries BundleReader::Entries() const {
  BundleEntries whole;
  for (const auto& [key, entry] : entries_) {
    if (!IsPart(key)) whole.emplace(key, entry);
  }
  return whole;
}

Result<const BundleEntry*> BundleReader::Find(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return NotFound("Key ", name, " not found in checkpoint ", prefix_);
  return &found->second;
}

Result<const RandomAccessFile*> BundleReader::DataFile(int shard) const {
  if (shard < 0 || shard >= shards_) return DataLoss(prefix_, " has no file of data ", shard);
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<RandomAccessFile>& file = files_[shard];
  if (file == nullptr) {
    ASSIGN_OR_RETURN(file, RandomAccessFile::Open(BundleDataName(prefix_, shard, shards_)));
  }
  return file.get();
}

Result<Tensor> BundleReader::Read(const std::string& name, const SliceSpec& spec) const {
  ASSIGN_OR_RETURN(const BundleEntry* entry, Find(name));
  if (!spec.is_whole && spec.full_shape != entry->shape) {
    return InvalidArgument(name, " has shape ", entry->shape, " in ", prefix_, ", not ",
                           spec.full_shape);
  }
  const bool all = spec.is_whole || spec.slice.IsWhole();
  if (entry->slices.empty() && all) return ReadData(*entry);
  const TensorSlice whole = TensorSlice::Whole(entry->shape.rank()).In(entry->shape);
  const TensorSlice wanted = all ? whole : spec.slice.In(entry->shape);
  if (!entry->slices.empty()) return ReadParts(name, *entry, wanted);
  ASSIGN_OR_RETURN(const Tensor tensor, ReadData(*entry));
  ASSIGN_OR_RETURN(const Shape shape, wanted.ShapeIn(entry->shape));
  ASSIGN_OR_RETURN(Tensor part, EmptyTensor(tensor.dtype(), shape));
  CopyOverlap(whole, tensor, wanted, &part);
  return part;
}

// The parts that have something of what is wanted. Together they have room for all of it, in files
// that are as large as they say: a shape that lies asks for no memory.
Result<std::vector<BundleReader::Part>> BundleReader::PartsOf(const std::string& name,
                                                              const BundleEntry& entry,
                                                              const TensorSlice& wanted) const {
  std::vector<Part> parts;
  std::set<std::string> keys;
  int64_t found = 0;
  for (const TensorSlice& slice : entry.slices) {
    const std::string key = SliceKey(name, slice);
    ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(entry.shape));
    ASSIGN_OR_RETURN(const BundleEntry* part, Find(key));
    if (part->shape != shape || part->dtype != entry.dtype || !part->slices.empty() ||
        !keys.insert(key).second) {
      return DataLoss("a part of ", name, " in ", prefix_, " is not what it is said to be");
    }
    const TensorSlice exact = slice.In(entry.shape);
    const int64_t common = OverlapSize(exact, wanted);
    if (common == 0) continue;
    if (old_ == nullptr) RETURN_IF_ERROR(CheckPlace(*part).status());
    found += common;
    parts.push_back({exact, key, part});
  }
  ASSIGN_OR_RETURN(const Shape shape, wanted.ShapeIn(entry.shape));
  if (found == shape.num_elements()) return parts;
  return DataLoss("the parts of ", name, " in ", prefix_, " do not make up ", wanted.ToString());
}

Result<Tensor> BundleReader::ReadParts(const std::string& name, const BundleEntry& entry,
                                       const TensorSlice& wanted) const {
  ASSIGN_OR_RETURN(const std::vector<Part> parts, PartsOf(name, entry, wanted));
  ASSIGN_OR_RETURN(const Shape shape, wanted.ShapeIn(entry.shape));
  ASSIGN_OR_RETURN(const DType dtype, TypeOf(entry, prefix_));
  ASSIGN_OR_RETURN(Tensor tensor, EmptyTensor(dtype, shape));
  for (const Part& part : parts) {
    ASSIGN_OR_RETURN(const Tensor data, old_ != nullptr ? old_->ReadPart(part.key, *part.entry)
                                                        : ReadData(*part.entry));
    CopyOverlap(part.slice, data, wanted, &tensor);
  }
  return tensor;
}

// The file that has the bytes of an entry, as many as a tensor of its type and shape needs.
Result<const RandomAccessFile*> BundleReader::CheckPlace(const BundleEntry& entry) const {
  ASSIGN_OR_RETURN(const DType dtype, TypeOf(entry, prefix_));
  ASSIGN_OR_RETURN(const RandomAccessFile* file, DataFile(entry.shard));
  if (entry.offset > file->size() || entry.size > file->size() - entry.offset) {
    return DataLoss(file->path(), " ends before the ", entry.size, " bytes at ", entry.offset);
  }
  const uint64_t count = static_cast<uint64_t>(entry.shape.num_elements());
  const bool strings = dtype == DType::kString;
  const uint64_t needed = strings ? count + kSumBytes : count * static_cast<uint64_t>(DTypeSize(dtype));
  if (strings ? needed > entry.size : needed != entry.size) {
    return DataLoss("a tensor of shape ", entry.shape, " in ", prefix_, " has ", entry.size, " bytes");
  }
  return file;
}

Result<Tensor> BundleReader::ReadData(const BundleEntry& entry) const {
  ASSIGN_OR_RETURN(const RandomAccessFile* file, CheckPlace(entry));
  const bool strings = DTypeFromNumber(entry.dtype) == DType::kString;
  return strings ? ReadStrings(entry, *file) : ReadNumbers(entry, *file);
}

Result<Tensor> BundleReader::ReadNumbers(const BundleEntry& entry,
                                         const RandomAccessFile& file) const {
  const DType dtype = DTypeFromNumber(entry.dtype);
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(CpuAllocator(), dtype, entry.shape));
  char* to = static_cast<char*>(tensor.raw());
  uint32_t crc = 0;
  for (uint64_t done = 0; done < entry.size;) {
    const size_t piece = static_cast<size_t>(std::min<uint64_t>(kPieceBytes, entry.size - done));
    RETURN_IF_ERROR(file.Read(entry.offset + done, piece, to + done));
    crc = ExtendCrc32c(crc, to + done, piece);
    done += piece;
  }
  if (crc != UnmaskCrc(entry.masked_crc)) return Damaged(file, entry);
  if (dtype == DType::kBool) {  // any other byte in a bool would be undefined
    std::transform(to, to + entry.size, tensor.mutable_data<bool>(), [](char c) { return c != 0; });
  }
  return tensor;
}

Result<Tensor> BundleReader::ReadStrings(const BundleEntry& entry,
                                         const RandomAccessFile& file) const {
  const int64_t count = entry.shape.num_elements();
  std::string bytes(static_cast<size_t>(entry.size), '\0');
  RETURN_IF_ERROR(file.Read(entry.offset, bytes.size(), bytes.data()));
  std::string_view rest = bytes;
  std::vector<uint64_t> lengths;
  std::string numbers;
  for (int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const uint64_t length, TakeVarint(&rest));
    lengths.push_back(length);
    if (length <= 0xffffffffu) AppendFixed32(&numbers, static_cast<uint32_t>(length));
    else AppendFixed64(&numbers, length);
  }
  ASSIGN_OR_RETURN(const std::string_view sum, TakeBytes(&rest, kSumBytes));
  uint32_t crc = Crc32c(numbers);
  if (UnmaskCrc(Fixed32At(sum.data())) != crc) return Damaged(file, entry);
  crc = ExtendCrc32c(crc, sum.data(), sum.size());
  crc = ExtendCrc32c(crc, rest.data(), rest.size());
  if (crc != UnmaskCrc(entry.masked_crc)) return Damaged(file, entry);
  std::vector<std::string> strings;
  for (const uint64_t length : lengths) {
    ASSIGN_OR_RETURN(const std::string_view text, TakeBytes(&rest, length));
    strings.emplace_back(text);
  }
  if (!rest.empty()) return DataLoss("strings in ", prefix_, " have more bytes than they say");
  return Tensor::Strings(entry.shape, std::move(strings));
}

}  // namespace tfbuild
