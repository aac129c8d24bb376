// CacheDataset, CacheDatasetV2: elements kept from the first time that they were read, in memory or
// in a file, unless one is missing as its computation has failed or was stopped. The file is a
// TFRecord file of one message for each element, written aside and moved into place when it is
// whole; it is no file of TensorFlow's.
#include <mutex>

#include "graph/tensor_proto.h"
#include "graph/wire_format.h"
#include "io/file.h"
#include "io/record.h"
#include "io/temporary_name.h"
#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

REGISTER_OP("CacheDataset")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("CacheDatasetV2")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Input("cache: resource")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .TFBUILD_DATASET_METADATA;

class MemoryCache final : public DatasetOf<MemoryCache> {
 public:
  MemoryCache(ElementSpec spec, DatasetPtr input)
      : DatasetOf(std::move(spec)), input_(std::move(input)), kept_(std::make_shared<Kept>()) {}
  const DatasetPtr& input() const { return input_; }
  int64_t Count() const override { return input_->Cardinality(); }

  class Iterator final : public InputIterator<MemoryCache> {
   public:
    using InputIterator::InputIterator;
    Status Start(StepContext* step) override {
      {
        std::lock_guard<std::mutex> lock(dataset().kept_->mutex);
        whole_ = dataset().kept_->whole;
      }
      return whole_ != nullptr ? OkStatus() : InputIterator::Start(step);
    }
    Result<bool> Advance(StepContext* step, Element* element) override {
      if (whole_ != nullptr) {
        if (next_ >= whole_->size()) return false;
        *element = (*whole_)[next_++];
        return true;
      }
      const Result<bool> pulled = Pull(step, element);
      has_hole_ = has_hole_ || !pulled.ok();
      ASSIGN_OR_RETURN(const bool found, pulled);
      if (has_hole_) {
        read_.clear();
      } else if (found) {
        read_.push_back(*element);
      } else if (!done_) {
        done_ = true;
        std::lock_guard<std::mutex> lock(dataset().kept_->mutex);
        if (dataset().kept_->whole == nullptr) {
          dataset().kept_->whole = std::make_shared<const std::vector<Element>>(std::move(read_));
        }
      }
      return found;
    }

   private:
    std::shared_ptr<const std::vector<Element>> whole_;
    size_t next_ = 0;
    std::vector<Element> read_;
    bool has_hole_ = false;
    bool done_ = false;
  };

 private:
  struct Kept {
    std::mutex mutex;
    std::shared_ptr<const std::vector<Element>> whole;  // once somebody has read all of it
  };
  DatasetPtr input_;
  std::shared_ptr<Kept> kept_;
};

std::string SerializeElement(const Element& element) {
  WireWriter writer;
  for (const Tensor& tensor : element) writer.Bytes(1, SerializeTensor(tensor));
  return writer.Take();
}

Result<Element> ParseElement(const std::string& record, const ElementSpec& spec) {
  Element element;
  ParseBudget budget;
  WireReader reader(record);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number != 1) return DataLoss("the cache holds an unknown field");
    ASSIGN_OR_RETURN(Tensor tensor, ParseTensor(field.bytes, &budget));
    const size_t i = element.size();
    if (i >= spec.types.size() || tensor.dtype() != spec.types[i]) {
      return InvalidArgument("the cache was written for a dataset of other elements");
    }
    element.push_back(std::move(tensor));
  }
  if (element.size() != spec.types.size()) {
    return InvalidArgument("the cache was written for a dataset of other elements");
  }
  return element;
}

class FileCache final : public DatasetOf<FileCache> {
 public:
  FileCache(ElementSpec spec, DatasetPtr input, std::string path)
      : DatasetOf(std::move(spec)), input_(std::move(input)), path_(std::move(path)) {}
  const DatasetPtr& input() const { return input_; }
  int64_t Count() const override { return input_->Cardinality(); }

  class Iterator final : public InputIterator<FileCache> {
   public:
    using InputIterator::InputIterator;
    ~Iterator() override {
      if (writer_ != nullptr) Abandon();
    }
    Status Start(StepContext* step) override {
      if (FileExists(dataset().path_)) {
        ASSIGN_OR_RETURN(std::unique_ptr<FileInput> file, FileInput::Open(dataset().path_));
        reader_ = std::make_unique<RecordReader>(std::move(file));
        return OkStatus();
      }
      aside_ = TemporaryName(dataset().path_);
      ASSIGN_OR_RETURN(std::unique_ptr<FileOutput> file,
                       FileOutput::Open(aside_, FileOutput::Mode::kNew));
      writer_ = std::make_unique<RecordWriter>(std::move(file));
      return InputIterator::Start(step);
    }
    Result<bool> Advance(StepContext* step, Element* element) override {
      if (reader_ != nullptr) {
        std::string record;
        ASSIGN_OR_RETURN(const bool found, reader_->Read(&record));
        if (!found) return false;
        ASSIGN_OR_RETURN(*element, ParseElement(record, dataset().spec()));
        return true;
      }
      const Result<bool> pulled = Pull(step, element);
      if (!pulled.ok() && writer_ != nullptr) Abandon();
      ASSIGN_OR_RETURN(const bool found, pulled);
      if (writer_ == nullptr) return found;
      const Status kept = found ? writer_->Write(SerializeElement(*element)) : Publish();
      if (!kept.ok()) Abandon();
      RETURN_IF_ERROR(kept);
      return found;
    }

   private:
    Status Publish() {
      const std::unique_ptr<RecordWriter> writer = std::move(writer_);
      RETURN_IF_ERROR(writer->Close());
      return RenameFile(aside_, dataset().path_);
    }
    // Without a file, elements are only passed on.
    void Abandon() {
      writer_ = nullptr;
      static_cast<void>(DeleteFile(aside_));
    }

    std::unique_ptr<RecordReader> reader_;
    std::unique_ptr<RecordWriter> writer_;
    std::string aside_;
  };

 private:
  DatasetPtr input_;
  std::string path_;
};

class CacheDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(std::string path, ScalarAt<std::string>(*context, 1, "filename"));
    if (path.empty()) {
      return std::shared_ptr<Dataset>(std::make_shared<MemoryCache>(spec(), std::move(input)));
    }
    for (const DType dtype : spec().types) {
      if (dtype == DType::kVariant || dtype == DType::kResource) {
        return Unimplemented("a ", DTypeName(dtype), " cannot be cached in a file");
      }
    }
    return std::shared_ptr<Dataset>(
        std::make_shared<FileCache>(spec(), std::move(input), std::move(path)));
  }
};

REGISTER_KERNEL(Kernel("CacheDataset").OnCpu(), CacheDatasetOp);
REGISTER_KERNEL(Kernel("CacheDatasetV2").OnCpu(), CacheDatasetOp);

}  // namespace
}  // namespace tfbuild
