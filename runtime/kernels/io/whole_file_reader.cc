// WholeFileReader and IdentityReader: each piece of work is one record, a file or its name.
#include <utility>

#include "graph/shape_context.h"
#include "io/whole_file.h"
#include "kernels/io/reader.h"

namespace tfbuild {
namespace {

TFBUILD_READER_DEFINITION("WholeFileReaderV2", "reader_handle: resource").ShapeFunction(ScalarShape);
TFBUILD_READER_DEFINITION("WholeFileReader", "reader_handle: Ref(string)")
    .ShapeFunction(UnknownShape);
TFBUILD_READER_DEFINITION("IdentityReaderV2", "reader_handle: resource").ShapeFunction(ScalarShape);
TFBUILD_READER_DEFINITION("IdentityReader", "reader_handle: Ref(string)")
    .ShapeFunction(UnknownShape);

template <bool kReads>
class WholeWork final : public WorkReader {
 public:
  Status Open(const std::string& work) override {
    work_ = work;
    at_end_ = false;
    return OkStatus();
  }
  Result<bool> Next(Record* record) override {
    if (at_end_) return false;
    if (kReads) {
      ASSIGN_OR_RETURN(record->value, ReadWholeFile(work_));
    } else {
      record->value = work_;
    }
    record->key = work_;
    at_end_ = true;
    return true;
  }
  void Close() override { at_end_ = true; }
  bool IsWhole() const override { return true; }

 private:
  std::string work_;
  bool at_end_ = true;
};

template <bool kReads>
class WholeWorkOp final : public ReaderOp {
  std::unique_ptr<WorkReader> MakeWorkReader() override {
    return std::make_unique<WholeWork<kReads>>();
  }
};

REGISTER_KERNEL(Kernel("WholeFileReaderV2").OnCpu(), WholeWorkOp<true>);
REGISTER_KERNEL(Kernel("WholeFileReader").OnCpu(), WholeWorkOp<true>);
REGISTER_KERNEL(Kernel("IdentityReaderV2").OnCpu(), WholeWorkOp<false>);
REGISTER_KERNEL(Kernel("IdentityReader").OnCpu(), WholeWorkOp<false>);

}  // namespace
}  // namespace tfbuild
