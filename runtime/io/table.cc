#include "io/table.h"

#include <algorithm>

#include "io/coding.h"
#include "io/crc32c.h"
#include "io/snappy.h"

namespace tfbuild {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 18;
constexpr size_t kTrailerBytes = 5;  // type and checksum
constexpr size_t kFooterBytes = 48;
constexpr uint64_t kMagic = 0xdb4775248b80fb57;
constexpr char kPlain = 0;
constexpr char kSnappy = 1;

// A short key that is not before `key` and before `next`.
std::string Between(std::string key, std::string_view next) {
  size_t i = 0;
  while (i < key.size() && i < next.size() && key[i] == next[i]) ++i;
  if (i == key.size() || i == next.size()) return key;
  const auto byte = static_cast<unsigned char>(key[i]);
  if (byte + 1 < static_cast<unsigned char>(next[i])) {
    key.resize(i + 1);
    key[i] = static_cast<char>(byte + 1);
  }
  return key;
}

// A short key that is not before `key`.
std::string After(std::string key) {
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '\xff') continue;
    key[i] = static_cast<char>(static_cast<unsigned char>(key[i]) + 1);
    key.resize(i + 1);
    break;
  }
  return key;
}

// Calls visit for the entries of a block; its end has the places where keys are written whole.
Status VisitEntries(std::string_view block, const Table::Visitor& visit) {
  if (block.size() < 4) return DataLoss("a block is too small");
  const uint64_t restarts = Fixed32At(block.data() + block.size() - 4);
  if (restarts > (block.size() - 4) / 4) return DataLoss("a block has too many restarts");
  std::string_view rest = block.substr(0, block.size() - 4 - 4 * restarts);
  std::string key;
  while (!rest.empty()) {
    ASSIGN_OR_RETURN(const uint64_t shared, TakeVarint(&rest));
    ASSIGN_OR_RETURN(const uint64_t own, TakeVarint(&rest));
    ASSIGN_OR_RETURN(const uint64_t size, TakeVarint(&rest));
    if (shared > key.size()) return DataLoss("a key shares more than there is");
    ASSIGN_OR_RETURN(const std::string_view suffix, TakeBytes(&rest, own));
    ASSIGN_OR_RETURN(const std::string_view value, TakeBytes(&rest, size));
    key.resize(shared);
    key += suffix;
    RETURN_IF_ERROR(visit(key, value));
  }
  return OkStatus();
}

}  // namespace

void TableBuilder::Block::Add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  if (since_restart_ < restart_interval_) {
    const size_t most = std::min(key.size(), last_key_.size());
    while (shared < most && key[shared] == last_key_[shared]) ++shared;
  } else {
    restarts_.push_back(static_cast<uint32_t>(bytes_.size()));
    since_restart_ = 0;
  }
  AppendVarint(&bytes_, shared);
  AppendVarint(&bytes_, key.size() - shared);
  AppendVarint(&bytes_, value.size());
  bytes_ += key.substr(shared);
  bytes_ += value;
  last_key_ = key;
  ++since_restart_;
  ++entries_;
}

std::string TableBuilder::Block::Take() {
  for (const uint32_t restart : restarts_) AppendFixed32(&bytes_, restart);
  AppendFixed32(&bytes_, static_cast<uint32_t>(restarts_.size()));
  std::string taken = std::move(bytes_);
  bytes_.clear();
  restarts_ = {0};
  last_key_.clear();
  since_restart_ = entries_ = 0;
  return taken;
}

Result<std::string> TableBuilder::WriteBlock(Block* block) {
  std::string bytes = block->Take();
  std::string place;
  AppendVarint(&place, offset_);
  AppendVarint(&place, bytes.size());
  bytes.push_back(kPlain);
  AppendFixed32(&bytes, MaskCrc(Crc32c(bytes)));
  offset_ += bytes.size();
  RETURN_IF_ERROR(out_->Append(bytes));
  return place;
}

Status TableBuilder::EndBlock() {
  if (data_.empty()) return OkStatus();
  ASSIGN_OR_RETURN(last_place_, WriteBlock(&data_));
  return OkStatus();
}

void TableBuilder::AddToIndex(const std::string& key) {
  if (!last_place_.empty()) index_.Add(key, last_place_);
  last_place_.clear();
}

Status TableBuilder::Add(std::string_view key, std::string_view value) {
  AddToIndex(Between(last_key_, key));
  data_.Add(key, value);
  last_key_ = key;
  return data_.size() < kBlockBytes ? OkStatus() : EndBlock();
}

Status TableBuilder::Finish() {
  RETURN_IF_ERROR(EndBlock());
  AddToIndex(After(last_key_));
  Block nothing(1);  // LevelDB has filters there
  ASSIGN_OR_RETURN(std::string footer, WriteBlock(&nothing));
  ASSIGN_OR_RETURN(const std::string index, WriteBlock(&index_));
  footer += index;
  footer.resize(kFooterBytes - 8, '\0');
  AppendFixed64(&footer, kMagic);
  return out_->Append(footer);
}

Result<std::unique_ptr<Table>> Table::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, RandomAccessFile::Open(path));
  std::unique_ptr<Table> table(new Table(std::move(file)));
  RETURN_IF_ERROR(table->ReadIndex().Annotate(path));
  return table;
}

Result<Table::Place> Table::TakePlace(std::string_view* rest) {
  Place place = {};
  ASSIGN_OR_RETURN(place.offset, TakeVarint(rest));
  ASSIGN_OR_RETURN(place.size, TakeVarint(rest));
  return place;
}

Status Table::ReadIndex() {
  if (file_->size() < kFooterBytes) return DataLoss("the file is too short to be a table");
  char footer[kFooterBytes];
  RETURN_IF_ERROR(file_->Read(file_->size() - kFooterBytes, kFooterBytes, footer));
  if (Fixed64At(footer + kFooterBytes - 8) != kMagic) {
    return DataLoss("not a table: its last bytes are not the magic number");
  }
  std::string_view rest(footer, kFooterBytes - 8);
  ASSIGN_OR_RETURN([[maybe_unused]] const Place meta, TakePlace(&rest));
  ASSIGN_OR_RETURN(const Place place, TakePlace(&rest));
  return VisitBlock(place, [this](std::string_view key, std::string_view value) -> Status {
    ASSIGN_OR_RETURN(const Place block, TakePlace(&value));
    index_.push_back({std::string(key), block});
    return OkStatus();
  });
}

Result<std::string> Table::ReadBlock(const Place& place) const {
  // The file bounds what is asked for before memory is.
  if (place.size > file_->size() || file_->size() - place.size < kTrailerBytes) {
    return DataLoss("a block of ", place.size, " bytes in a file of ", file_->size());
  }
  const size_t size = static_cast<size_t>(place.size);
  std::string bytes(size + kTrailerBytes, '\0');
  RETURN_IF_ERROR(file_->Read(place.offset, bytes.size(), bytes.data()));
  const uint32_t sum = UnmaskCrc(Fixed32At(bytes.data() + size + 1));
  if (Crc32c({bytes.data(), size + 1}) != sum) {
    return DataLoss("the block at ", place.offset, " is damaged: its checksum differs");
  }
  const char type = bytes[size];
  bytes.resize(size);
  if (type == kPlain) return bytes;
  if (type == kSnappy) return SnappyUncompress(bytes);
  return DataLoss("the block at ", place.offset, " has the unknown type ", static_cast<int>(type));
}

Status Table::VisitBlock(const Place& place, const Visitor& visit) const {
  ASSIGN_OR_RETURN(const std::string block, ReadBlock(place));
  return VisitEntries(block, visit);
}

Status Table::ForEach(const Visitor& visit) const {
  for (const IndexEntry& entry : index_) {
    RETURN_IF_ERROR(VisitBlock(entry.place, visit).Annotate(file_->path()));
  }
  return OkStatus();
}

Result<bool> Table::Get(std::string_view key, std::string* value) const {
  const auto entry = std::lower_bound(
      index_.begin(), index_.end(), key,
      [](const IndexEntry& block, std::string_view wanted) { return block.last_key < wanted; });
  if (entry == index_.end()) return false;
  bool found = false;
  const Status visited =
      VisitBlock(entry->place, [&](std::string_view at, std::string_view bytes) {
        if (at == key) {
          *value = bytes;
          found = true;
        }
        return OkStatus();
      });
  RETURN_IF_ERROR(visited.Annotate(file_->path()));
  return found;
}

}  // namespace tfbuild
