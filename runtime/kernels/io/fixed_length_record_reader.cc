// FixedLengthRecordReader: records of one size, between a header and a footer.
#include <algorithm>
#include <utility>

#include "graph/shape_context.h"
#include "io/file.h"
#include "io/whole_file.h"
#include "io/zlib.h"
#include "kernels/io/reader.h"

namespace tfbuild {
namespace {

#define DEFINE(name, output)                \
  TFBUILD_READER_DEFINITION(name, output)   \
      .Attr("header_bytes: int = 0")        \
      .Attr("record_bytes: int")            \
      .Attr("footer_bytes: int = 0")        \
      .Attr("hop_bytes: int = 0")
DEFINE("FixedLengthRecordReaderV2", "reader_handle: resource")
    .Attr("encoding: string = ''")
    .ShapeFunction(ScalarShape);
DEFINE("FixedLengthRecordReader", "reader_handle: Ref(string)").ShapeFunction(UnknownShape);
#undef DEFINE

struct RecordLayout {
  int64_t header = 0;
  int64_t record = 0;
  int64_t footer = 0;
  int64_t hop = 0;
  Compression compression = Compression::kNone;
};

class FixedRecords final : public WorkReader {
 public:
  explicit FixedRecords(const RecordLayout& layout) : layout_(layout) {}

  Status Open(const std::string& work) override {
    work_ = work;
    number_ = 0;
    ahead_.clear();
    ASSIGN_OR_RETURN(std::unique_ptr<InputStream> file, FileInput::Open(work));
    ASSIGN_OR_RETURN(in_, Decompressed(std::move(file), layout_.compression));
    ASSIGN_OR_RETURN(const bool is_there, Skip(layout_.header));
    if (is_there) return OkStatus();
    in_.reset();  // an error and no end, as in TensorFlow
    return Status(Code::kOutOfRange, StrCat(work, " ends within the header"));
  }
  Result<bool> Next(Record* record) override {
    if (in_ == nullptr) return false;
    if (number_ > 0) {
      const int64_t known = static_cast<int64_t>(ahead_.size());
      ahead_.erase(0, static_cast<size_t>(std::min(known, layout_.hop)));
      if (known < layout_.hop) {
        ASSIGN_OR_RETURN(const bool is_there, Skip(layout_.hop - known));
        if (!is_there) return false;
      }
    }
    // What is ahead distinguishes the footer from a record.
    const size_t wanted = static_cast<size_t>(layout_.record + layout_.footer);
    if (ahead_.size() < wanted) {
      RETURN_IF_ERROR(AppendBytes(in_.get(), wanted - ahead_.size(), &ahead_));
      if (ahead_.size() < wanted) return false;
    }
    record->value = ahead_.substr(0, static_cast<size_t>(layout_.record));
    record->key = StrCat(work_, ":", number_++);
    return true;
  }
  void Close() override { in_.reset(); }

 private:
  // Whether there was that much.
  Result<bool> Skip(int64_t count) {
    char skipped[4096];
    while (count > 0) {
      const size_t step = static_cast<size_t>(std::min<int64_t>(count, sizeof(skipped)));
      ASSIGN_OR_RETURN(const size_t found, in_->Read(skipped, step));
      if (found < step) return false;
      count -= static_cast<int64_t>(step);
    }
    return true;
  }

  const RecordLayout layout_;
  std::string work_;
  std::unique_ptr<InputStream> in_;
  std::string ahead_;
  int64_t number_ = 0;
};

class FixedLengthRecordReaderOp final : public ReaderOp {
  Status ReadAttrs(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(layout_.header, construction.Attr<int64_t>("header_bytes"));
    ASSIGN_OR_RETURN(layout_.record, construction.Attr<int64_t>("record_bytes"));
    ASSIGN_OR_RETURN(layout_.footer, construction.Attr<int64_t>("footer_bytes"));
    ASSIGN_OR_RETURN(layout_.hop, construction.Attr<int64_t>("hop_bytes"));
    if (construction.node.op().FindAttr("encoding") != nullptr) {
      ASSIGN_OR_RETURN(const std::string encoding, construction.Attr<std::string>("encoding"));
      ASSIGN_OR_RETURN(layout_.compression, CompressionOf(encoding));
    }
    RETURN_IF_ERROR(Check("header_bytes", layout_.header, 0));
    RETURN_IF_ERROR(Check("record_bytes", layout_.record, 1));
    RETURN_IF_ERROR(Check("footer_bytes", layout_.footer, 0));
    RETURN_IF_ERROR(Check("hop_bytes", layout_.hop, 0));
    if (layout_.hop == 0) layout_.hop = layout_.record;
    return OkStatus();
  }
  // Sums of two of them must be numbers, too.
  static Status Check(const char* name, int64_t value, int64_t least) {
    if (value >= least && value <= kMaxElements) return OkStatus();
    return InvalidArgument(name, " must be >= ", least, " and at most ", kMaxElements, ", not ",
                           value);
  }
  std::unique_ptr<WorkReader> MakeWorkReader() override {
    return std::make_unique<FixedRecords>(layout_);
  }
  RecordLayout layout_;
};

REGISTER_KERNEL(Kernel("FixedLengthRecordReaderV2").OnCpu(), FixedLengthRecordReaderOp);
REGISTER_KERNEL(Kernel("FixedLengthRecordReader").OnCpu(), FixedLengthRecordReaderOp);

}  // namespace
}  // namespace tfbuild
