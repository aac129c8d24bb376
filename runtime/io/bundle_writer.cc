#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "io/bundle.h"
#include "io/coding.h"
#include "io/crc32c.h"
#include "io/temporary_name.h"

namespace tfbuild {
namespace {

// Summed and written at once, while it is in the processor's cache.
constexpr size_t kPieceBytes = size_t{1} << 20;

// Lengths are summed as numbers of 4 bytes, or 8 where they need them.
uint32_t SumLength(uint32_t crc, uint64_t length) {
  std::string bytes;
  if (length <= 0xffffffffu) {
    AppendFixed32(&bytes, static_cast<uint32_t>(length));
  } else {
    AppendFixed64(&bytes, length);
  }
  return ExtendCrc32c(crc, bytes.data(), bytes.size());
}

}  // namespace

Result<std::unique_ptr<BundleWriter>> BundleWriter::Open(const std::string& prefix) {
  // Savers that write several files at once put them into a folder that nobody has made.
  const size_t slash = prefix.rfind('/');
  if (slash != std::string::npos) mkdir(prefix.substr(0, slash).c_str(), 0777);
  const std::string temporary = TemporaryName(BundleDataName(prefix, 0, 1));
  ASSIGN_OR_RETURN(std::unique_ptr<FileOutput> data,
                   FileOutput::Open(temporary, FileOutput::Mode::kNew));
  return std::unique_ptr<BundleWriter>(new BundleWriter(prefix, temporary, std::move(data)));
}

BundleWriter::~BundleWriter() {
  if (data_ != nullptr) unlink(temporary_.c_str());
}

Status BundleWriter::Add(const std::string& name, const SliceSpec& spec, const Tensor& tensor) {
  if (name.empty()) return InvalidArgument("a tensor without a name cannot be saved");
  if (spec.is_whole) return AddData(name, tensor);
  ASSIGN_OR_RETURN(const Shape part, spec.slice.ShapeIn(spec.full_shape));
  if (part != tensor.shape()) {
    return InvalidArgument("the slice ", spec.slice.ToString(), " of ", name, " has shape ", part,
                           ", its tensor ", tensor.shape());
  }
  BundleEntry& whole = entries_[name];
  if (whole.slices.empty()) {
    if (whole.dtype != 0) return InvalidArgument("the tensor ", name, " is saved twice");
    whole.dtype = static_cast<int>(tensor.dtype());
    whole.shape = spec.full_shape;
  }
  if (whole.dtype != static_cast<int>(tensor.dtype()) || whole.shape != spec.full_shape) {
    return InvalidArgument("the slices of ", name, " are not of one tensor");
  }
  RETURN_IF_ERROR(AddData(SliceKey(name, spec.slice), tensor));
  entries_[name].slices.push_back(spec.slice);
  return OkStatus();
}

Status BundleWriter::AddData(const std::string& key, const Tensor& tensor) {
  if (entries_.count(key) > 0) return InvalidArgument("the tensor ", key, " is saved twice");
  BundleEntry entry;
  entry.dtype = static_cast<int>(tensor.dtype());
  entry.shape = tensor.shape();
  entry.offset = data_->size();
  const bool strings = tensor.dtype() == DType::kString;
  ASSIGN_OR_RETURN(const uint32_t crc, strings ? WriteStrings(tensor) : WriteNumbers(tensor));
  entry.size = data_->size() - entry.offset;
  entry.masked_crc = MaskCrc(crc);
  entries_[key] = std::move(entry);
  return OkStatus();
}

Result<uint32_t> BundleWriter::WriteNumbers(const Tensor& tensor) {
  std::string_view rest(static_cast<const char*>(tensor.raw()), tensor.num_bytes());
  uint32_t crc = 0;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, kPieceBytes);
    crc = ExtendCrc32c(crc, piece.data(), piece.size());
    RETURN_IF_ERROR(data_->Append(piece));
    rest.remove_prefix(piece.size());
  }
  return crc;
}

Result<uint32_t> BundleWriter::WriteStrings(const Tensor& tensor) {
  const std::string* strings = tensor.data<std::string>();
  std::string lengths;
  uint32_t crc = 0;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    AppendVarint(&lengths, strings[i].size());
    crc = SumLength(crc, strings[i].size());
  }
  std::string sum;
  AppendFixed32(&sum, MaskCrc(crc));
  crc = ExtendCrc32c(crc, sum.data(), sum.size());
  RETURN_IF_ERROR(data_->Append(lengths));
  RETURN_IF_ERROR(data_->Append(sum));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    crc = ExtendCrc32c(crc, strings[i].data(), strings[i].size());
    RETURN_IF_ERROR(data_->Append(strings[i]));
  }
  return crc;
}

Status BundleWriter::Finish() {
  RETURN_IF_ERROR(data_->Close());
  RETURN_IF_ERROR(PublishBundle(prefix_, {temporary_}, entries_));
  data_.reset();
  return OkStatus();
}

}  // namespace tfbuild
