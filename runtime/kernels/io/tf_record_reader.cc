// TFRecordReader: the records of a TFRecord file.
#include <utility>

#include "graph/shape_context.h"
#include "io/file.h"
#include "io/record.h"
#include "kernels/io/reader.h"

namespace tfbuild {
namespace {

TFBUILD_READER_DEFINITION("TFRecordReaderV2", "reader_handle: resource")
    .Attr("compression_type: string = ''")
    .ShapeFunction(ScalarShape);
TFBUILD_READER_DEFINITION("TFRecordReader", "reader_handle: Ref(string)")
    .Attr("compression_type: string = ''")
    .ShapeFunction(UnknownShape);

class TfRecords final : public WorkReader {
 public:
  explicit TfRecords(Compression compression) : compression_(compression) {}

  Status Open(const std::string& work) override {
    work_ = work;
    ASSIGN_OR_RETURN(std::unique_ptr<InputStream> file, FileInput::Open(work));
    ASSIGN_OR_RETURN(std::unique_ptr<InputStream> in, Decompressed(std::move(file), compression_));
    reader_ = std::make_unique<RecordReader>(std::move(in));
    return OkStatus();
  }
  Result<bool> Next(Record* record) override {
    if (reader_ == nullptr) return false;
    const uint64_t offset = reader_->offset();
    ASSIGN_OR_RETURN(const bool found, reader_->Read(&record->value));
    if (found) record->key = StrCat(work_, ":", offset);
    return found;
  }
  void Close() override { reader_.reset(); }

 private:
  const Compression compression_;
  std::string work_;
  std::unique_ptr<RecordReader> reader_;
};

class TfRecordReaderOp final : public ReaderOp {
  Status ReadAttrs(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string name, construction.Attr<std::string>("compression_type"));
    ASSIGN_OR_RETURN(compression_, CompressionOf(name));
    return OkStatus();
  }
  std::unique_ptr<WorkReader> MakeWorkReader() override {
    return std::make_unique<TfRecords>(compression_);
  }
  Compression compression_ = Compression::kNone;
};

REGISTER_KERNEL(Kernel("TFRecordReaderV2").OnCpu(), TfRecordReaderOp);
REGISTER_KERNEL(Kernel("TFRecordReader").OnCpu(), TfRecordReaderOp);

}  // namespace
}  // namespace tfbuild
