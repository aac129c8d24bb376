// TextLineReader: a record is a line of a text file.
#include <cstring>
#include <utility>

#include "graph/shape_context.h"
#include "io/file.h"
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
    at_ = filled_ = 0;
    ASSIGN_OR_RETURN(file_, FileInput::Open(work));
    std::string line;
    for (; number_ < skipped_; ++number_) {
      ASSIGN_OR_RETURN(const bool found, Line(&line));
      if (!found) break;
    }
    return OkStatus();
  }
  Result<bool> Next(Record* record) override {
    ASSIGN_OR_RETURN(const bool found, Line(&record->value));
    if (found) record->key = StrCat(work_, ":", ++number_);
    return found;
  }
  void Close() override { file_.reset(); }

 private:
  // Without its end, which is \n or \r\n; false where there is none.
  Result<bool> Line(std::string* line) {
    line->clear();
    bool any = false;
    while (true) {
      if (at_ == filled_) {
        if (file_ == nullptr) return any;
        buffer_.resize(kBuffer);
        ASSIGN_OR_RETURN(filled_, file_->Read(buffer_.data(), kBuffer));
        at_ = 0;
        if (filled_ == 0) return any;
      }
      any = true;
      const char* const begin = buffer_.data() + at_;
      const auto* const end = static_cast<const char*>(std::memchr(begin, '\n', filled_ - at_));
      const size_t length = end == nullptr ? filled_ - at_ : static_cast<size_t>(end - begin);
      line->append(begin, length);
      at_ += length + (end == nullptr ? 0 : 1);
      if (end == nullptr) continue;
      if (!line->empty() && line->back() == '\r') line->pop_back();
      return true;
    }
  }

  static constexpr size_t kBuffer = 256 << 10;
  const int64_t skipped_;
  std::string work_;
  int64_t number_ = 0;
  std::unique_ptr<FileInput> file_;
  std::string buffer_;
  size_t at_ = 0;
  size_t filled_ = 0;
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
