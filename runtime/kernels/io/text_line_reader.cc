// TextLineReader: a record is a line of a text file.
#include <utility>

#include "graph/shape_context.h"
#include "io/file.h"
#include "io/line_reader.h"
#include "kernels/io/reader.h"

namespace tfbuild {
namespace {

TFBUILD_READER_DEFINITION("TextLineReaderV2", "reader_handle: resource")
    .Attr("skip_header_lines: int = 0")
    .ShapeFunction(ScalarShape);
TFBUILD_READER_DEFINITION("TextLineReader", "reader_handle: Ref(string)")
    .Attr("skip_header_lines: int = 0")
    .ShapeFunction(UnknownShape);

class TextLines final : public WorkReader {
 public:
  explicit TextLines(int64_t skipped) : skipped_(skipped) {}

  Status Open(const std::string& work) override {
    work_ = work;
    number_ = 0;
    ASSIGN_OR_RETURN(std::unique_ptr<FileInput> file, FileInput::Open(work));
    lines_ = std::make_unique<LineReader>(std::move(file));
    std::string line;
    for (; number_ < skipped_; ++number_) {
      ASSIGN_OR_RETURN(const bool found, lines_->Read(&line));
      if (!found) break;
    }
    return OkStatus();
  }
  Result<bool> Next(Record* record) override {
    if (lines_ == nullptr) return false;
    ASSIGN_OR_RETURN(const bool found, lines_->Read(&record->value));
    if (found) record->key = StrCat(work_, ":", ++number_);
    return found;
  }
  void Close() override { lines_.reset(); }

 private:
  const int64_t skipped_;
  std::string work_;
  int64_t number_ = 0;
  std::unique_ptr<LineReader> lines_;
};

class TextLineReaderOp final : public ReaderOp {
  Status ReadAttrs(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(skipped_, construction.Attr<int64_t>("skip_header_lines"));
    if (skipped_ >= 0) return OkStatus();
    return InvalidArgument("skip_header_lines must be >= 0 not ", skipped_);
  }
  std::unique_ptr<WorkReader> MakeWorkReader() override {
    return std::make_unique<TextLines>(skipped_);
  }
  int64_t skipped_ = 0;
};

REGISTER_KERNEL(Kernel("TextLineReaderV2").OnCpu(), TextLineReaderOp);
REGISTER_KERNEL(Kernel("TextLineReader").OnCpu(), TextLineReaderOp);

}  // namespace
}  // namespace tfbuild
