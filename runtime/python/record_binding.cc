// Files of records.
#include <mutex>

#include "io/file.h"
#include "io/record.h"
#include "python/bindings.h"
#include "python/gil.h"
#include "python/python_error.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// A writer that any thread may use, and that lets other threads run meanwhile. One that is dropped
// without being closed loses what was not flushed.
class PythonRecordWriter {
 public:
  // Paths are bytes: files have names that are no text.
  PythonRecordWriter(nb::bytes path, bool must_be_new, nb::str compression, int level) {
    const Compression chosen = ValueOrThrow(CompressionOf(TextFromPython(compression)));
    const auto mode = must_be_new ? FileOutput::Mode::kNew : FileOutput::Mode::kTruncate;
    std::unique_ptr<OutputStream> file = ValueOrThrow(FileOutput::Open(TextFromPython(path), mode));
    writer_ = std::make_unique<RecordWriter>(
        ValueOrThrow(Compressed(std::move(file), chosen, level)));
  }

  void Write(nb::bytes record) {
    const std::string_view bytes{record.c_str(), record.size()};
    Do([bytes](RecordWriter* writer) { return writer->Write(bytes); });
  }
  void Flush() {
    Do([](RecordWriter* writer) { return writer->Flush(); });
  }
  void Close() {
    Do([this](RecordWriter* writer) {
      const Status closed = writer->Close();
      writer_.reset();
      return closed;
    });
  }

 private:
  template <typename Action>
  void Do(const Action& action) {
    Status status;
    {
      const GilReleased released;
      std::lock_guard<std::mutex> lock(mutex_);
      status = writer_ == nullptr ? FailedPrecondition("the writer is closed") : action(writer_.get());
    }
    ThrowIfError(status);
  }

  std::mutex mutex_;
  std::unique_ptr<RecordWriter> writer_;
};

class PythonRecordReader {
 public:
  PythonRecordReader(nb::bytes path, nb::str compression) {
    const Compression chosen = ValueOrThrow(CompressionOf(TextFromPython(compression)));
    std::unique_ptr<InputStream> file = ValueOrThrow(FileInput::Open(TextFromPython(path)));
    reader_ = std::make_unique<RecordReader>(ValueOrThrow(Decompressed(std::move(file), chosen)));
  }

  // None at the end.
  nb::object Read() {
    std::string record;
    const auto found = [&] {
      const GilReleased released;
      std::lock_guard<std::mutex> lock(mutex_);
      return reader_->Read(&record);
    }();
    if (!ValueOrThrow(found)) return nb::none();
    return nb::bytes(record.data(), record.size());
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<RecordReader> reader_;
};

}  // namespace

void BindRecords(nb::module_& module) {
  nb::class_<PythonRecordWriter>(module, "RecordWriter")
      .def(nb::init<nb::bytes, bool, nb::str, int>())
      .def("write", &PythonRecordWriter::Write)
      .def("flush", &PythonRecordWriter::Flush)
      .def("close", &PythonRecordWriter::Close);
  nb::class_<PythonRecordReader>(module, "RecordReader")
      .def(nb::init<nb::bytes, nb::str>())
      .def("read", &PythonRecordReader::Read);
}

}  // namespace python
}  // namespace tfbuild
