// What files hold, file after file: TextLineDataset, FixedLengthRecordDataset, TFRecordDataset.
#include <algorithm>

#include "io/file.h"
#include "io/line_reader.h"
#include "io/record.h"
#include "io/whole_file.h"
#include "kernels/data/file_lines.h"

namespace tfbuild {
namespace {

REGISTER_OP("TextLineDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("FixedLengthRecordDataset")
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("FixedLengthRecordDatasetV2")
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Input("compression_type: string")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("TFRecordDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("TFRecordDatasetV2")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("byte_offsets: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(ScalarShape);

ElementSpec OneString() { return {{DType::kString}, {PartialShape(std::vector<int64_t>{})}}; }

// How one file is read, record by record.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  virtual Result<bool> Read(std::string* record) = 0;
};

class Lines final : public RecordSource {
 public:
  explicit Lines(std::unique_ptr<InputStream> in) : reader_(std::move(in)) {}
  // Without carriage returns, wherever they stand in the line, as TensorFlow's dataset has it.
  Result<bool> Read(std::string* record) override {
    ASSIGN_OR_RETURN(const bool more, reader_.Read(record));
    record->erase(std::remove(record->begin(), record->end(), '\r'), record->end());
    return more;
  }

 private:
  LineReader reader_;
};

class Records final : public RecordSource {
 public:
  explicit Records(std::unique_ptr<InputStream> in) : reader_(std::move(in)) {}
  Result<bool> Read(std::string* record) override { return reader_.Read(record); }

 private:
  RecordReader reader_;
};

struct FixedSizes {
  int64_t header = 0, record = 0, footer = 0;
};

// InvalidArgument unless whole records fill the file between its header and its footer.
Status CheckLength(const std::string& name, const FixedSizes& sizes) {
  ASSIGN_OR_RETURN(const auto file, RandomAccessFile::Open(name));
  const int64_t body = static_cast<int64_t>(file->size()) - sizes.header - sizes.footer;
  if (body >= 0 && body % sizes.record == 0) return OkStatus();
  return InvalidArgument("Excluding the header (", sizes.header, " bytes) and footer (",
                         sizes.footer, " bytes), input file \"", name, "\" has body length ", body,
                         " bytes, which is not an exact multiple of the record length (",
                         sizes.record, " bytes).");
}

// Records of one length between a header and a footer. The footer is known only at the end of the file,
// so that many bytes are read ahead.
class FixedRecords final : public RecordSource {
 public:
  FixedRecords(std::unique_ptr<InputStream> in, const FixedSizes& sizes, const std::string& name)
      : in_(std::move(in)), sizes_(sizes), name_(name) {}
  Result<bool> Read(std::string* record) override {
    if (!begun_) {
      std::string header;
      RETURN_IF_ERROR(ReadMore(sizes_.header, &header));
      if (static_cast<int64_t>(header.size()) < sizes_.header) return TooShort();
      RETURN_IF_ERROR(ReadMore(sizes_.footer, &ahead_));
      if (static_cast<int64_t>(ahead_.size()) < sizes_.footer) return TooShort();
      begun_ = true;
    }
    RETURN_IF_ERROR(ReadMore(sizes_.record, &ahead_));
    const int64_t found = static_cast<int64_t>(ahead_.size()) - sizes_.footer;
    if (found == 0) return false;
    if (found < sizes_.record) {
      return InvalidArgument("Excess bytes of ", found, " at the end of file \"", name_,
                             "\": its body is no multiple of the record length ", sizes_.record);
    }
    const size_t length = static_cast<size_t>(sizes_.record);
    record->assign(ahead_, 0, length);
    ahead_.erase(0, length);
    return true;
  }

 private:
  Status TooShort() const {
    return InvalidArgument("File \"", name_, "\" is shorter than its header of ", sizes_.header,
                           " and footer of ", sizes_.footer, " bytes");
  }
  Status ReadMore(int64_t count, std::string* to) {
    return AppendBytes(in_.get(), static_cast<size_t>(count), to);
  }
  std::unique_ptr<InputStream> in_;
  FixedSizes sizes_;
  std::string name_;
  std::string ahead_;
  bool begun_ = false;
};

enum class Format { kLines, kRecords, kFixed };

class FileDataset final : public DatasetOf<FileDataset> {
 public:
  FileDataset(FileList files, Format format, FixedSizes sizes, std::vector<int64_t> offsets)
      : DatasetOf(OneString()),
        files_(std::move(files)),
        format_(format),
        sizes_(sizes),
        offsets_(std::move(offsets)) {}

  class Iterator final : public IteratorOver<FileDataset> {
   public:
    using IteratorOver::IteratorOver;
    Result<bool> Advance(StepContext*, Element* element) override {
      while (true) {
        if (source_ == nullptr) {
          if (next_ >= dataset().files_.names.size()) return false;
          const size_t number = next_++;  // an error is reported once, then the next file's turn comes
          ASSIGN_OR_RETURN(source_, Open(number));
        }
        std::string record;
        Result<bool> found = source_->Read(&record);
        if (!found.ok()) {
          source_ = nullptr;
          return found.status().Annotate(dataset().files_.names[next_ - 1]);
        }
        if (!*found) {
          source_ = nullptr;
          continue;
        }
        element->clear();
        std::vector<std::string> one(1);
        one[0] = std::move(record);
        element->push_back(Tensor::Strings(Shape{}, std::move(one)));
        return true;
      }
    }

   private:
    Result<std::unique_ptr<RecordSource>> Open(size_t number) const {
      const FileDataset& all = dataset();
      const std::string& name = all.files_.names[number];
      ASSIGN_OR_RETURN(std::unique_ptr<InputStream> in, OpenStream(name, all.files_.compression));
      if (all.format_ == Format::kFixed && all.files_.compression.empty()) {
        RETURN_IF_ERROR(CheckLength(name, all.sizes_));
      }
      if (number < all.offsets_.size()) {
        RETURN_IF_ERROR(Skip(all.offsets_[number], in.get()).Annotate(name));
      }
      switch (all.format_) {
        case Format::kLines:
          return std::unique_ptr<RecordSource>(std::make_unique<Lines>(std::move(in)));
        case Format::kRecords:
          return std::unique_ptr<RecordSource>(std::make_unique<Records>(std::move(in)));
        default:
          return std::unique_ptr<RecordSource>(
              std::make_unique<FixedRecords>(std::move(in), all.sizes_, name));
      }
    }
    static Status Skip(int64_t count, InputStream* in) {
      std::string passed(size_t{64} << 10, '\0');
      while (count > 0) {
        const size_t wanted = static_cast<size_t>(std::min<int64_t>(count, 64 << 10));
        ASSIGN_OR_RETURN(const size_t found, in->Read(passed.data(), wanted));
        if (found < wanted) return InvalidArgument("the byte offset is behind the end");
        count -= static_cast<int64_t>(wanted);
      }
      return OkStatus();
    }
    std::unique_ptr<RecordSource> source_;
    size_t next_ = 0;
  };

 private:
  FileList files_;
  Format format_;
  FixedSizes sizes_;
  std::vector<int64_t> offsets_;
};

// What all have in common: no types are stated, since each element is one string.
class FileDatasetOp : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction&) override { return OkStatus(); }
};

class TextLineDatasetOp final : public FileDatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(FileList files, FilesOf(*context, 1));
    return std::shared_ptr<Dataset>(std::make_shared<FileDataset>(
        std::move(files), Format::kLines, FixedSizes{}, std::vector<int64_t>()));
  }
};

class TFRecordDatasetOp final : public FileDatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(FileList files, FilesOf(*context, 1));
    std::vector<int64_t> offsets;
    if (context->num_inputs() > 3) {
      ASSIGN_OR_RETURN(offsets, context->input(3).IntValues());
      if (!offsets.empty() && offsets.size() != files.names.size()) {
        return InvalidArgument("`byte_offsets` must be of same size as `filenames`");
      }
      for (const int64_t offset : offsets) {
        if (offset < 0) return InvalidArgument("a byte offset is negative: ", offset);
      }
    }
    return std::shared_ptr<Dataset>(std::make_shared<FileDataset>(
        std::move(files), Format::kRecords, FixedSizes{}, std::move(offsets)));
  }
};

class FixedLengthRecordDatasetOp final : public FileDatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(FileList files, FilesOf(*context, context->num_inputs() > 5 ? 5 : 0));
    FixedSizes sizes;
    ASSIGN_OR_RETURN(sizes.header, ScalarAt<int64_t>(*context, 1, "header_bytes"));
    ASSIGN_OR_RETURN(sizes.record, ScalarAt<int64_t>(*context, 2, "record_bytes"));
    ASSIGN_OR_RETURN(sizes.footer, ScalarAt<int64_t>(*context, 3, "footer_bytes"));
    if (sizes.header > kMaxElements || sizes.footer > kMaxElements) {
      return InvalidArgument("header and footer must be at most ", kMaxElements, " bytes");
    }
    if (sizes.header < 0) return InvalidArgument("`header_bytes` must be >= 0");
    if (sizes.record <= 0) return InvalidArgument("`record_bytes` must be > 0");
    if (sizes.footer < 0) return InvalidArgument("`footer_bytes` must be >= 0");
    return std::shared_ptr<Dataset>(std::make_shared<FileDataset>(
        std::move(files), Format::kFixed, sizes, std::vector<int64_t>()));
  }
};

REGISTER_KERNEL(Kernel("TextLineDataset").OnCpu(), TextLineDatasetOp);
REGISTER_KERNEL(Kernel("FixedLengthRecordDataset").OnCpu(), FixedLengthRecordDatasetOp);
REGISTER_KERNEL(Kernel("FixedLengthRecordDatasetV2").OnCpu(), FixedLengthRecordDatasetOp);
REGISTER_KERNEL(Kernel("TFRecordDataset").OnCpu(), TFRecordDatasetOp);
REGISTER_KERNEL(Kernel("TFRecordDatasetV2").OnCpu(), TFRecordDatasetOp);

}  // namespace
}  // namespace tfbuild
