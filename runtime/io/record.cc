#include "io/record.h"

#include <algorithm>

#include "io/coding.h"
#include "io/crc32c.h"

namespace tfbuild {
namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kFooterBytes = 4;
// No file system holds such a file.
constexpr uint64_t kMaxRecordBytes = uint64_t{1} << 48;
constexpr size_t kFirstStep = size_t{1} << 20;

}  // namespace

Status RecordWriter::Write(std::string_view record) {
  std::string frame;
  AppendFixed64(&frame, record.size());
  AppendFixed32(&frame, MaskCrc(Crc32c(frame)));
  RETURN_IF_ERROR(out_->Append(frame));
  RETURN_IF_ERROR(out_->Append(record));
  frame.clear();
  AppendFixed32(&frame, MaskCrc(Crc32c(record)));
  return out_->Append(frame);
}

Result<bool> RecordReader::Read(std::string* record) {
  char header[kHeaderBytes];
  ASSIGN_OR_RETURN(const size_t found, in_->Read(header, kHeaderBytes));
  if (found == 0) return false;
  if (found < kHeaderBytes) return DataLoss("truncated record at ", offset_);
  if (UnmaskCrc(Fixed32At(header + 8)) != Crc32c({header, 8})) {
    return DataLoss("corrupted record at ", offset_, ": its length is damaged");
  }
  const uint64_t size = Fixed64At(header);
  if (size > kMaxRecordBytes) {
    return DataLoss("corrupted record at ", offset_, ": it announces ", size, " bytes");
  }
  RETURN_IF_ERROR(ReadBody(size, record));
  char footer[kFooterBytes];
  ASSIGN_OR_RETURN(const size_t rest, in_->Read(footer, kFooterBytes));
  if (rest < kFooterBytes) return DataLoss("truncated record at ", offset_);
  if (UnmaskCrc(Fixed32At(footer)) != Crc32c(*record)) {
    return DataLoss("corrupted record at ", offset_);
  }
  offset_ += kHeaderBytes + size + kFooterBytes;
  return true;
}

Status RecordReader::ReadBody(uint64_t size, std::string* record) {
  record->clear();
  while (record->size() < size) {
    const size_t before = record->size();
    const size_t step = std::max(before, kFirstStep);
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(size - before, step));
    record->resize(before + wanted);
    ASSIGN_OR_RETURN(const size_t found, in_->Read(record->data() + before, wanted));
    if (found < wanted) {
      return DataLoss("truncated record at ", offset_, ": it announces ", size, " bytes");
    }
  }
  return OkStatus();
}

}  // namespace tfbuild
