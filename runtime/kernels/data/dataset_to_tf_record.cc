// DatasetToTFRecord: the strings of a dataset as records of a file.
#include "io/file.h"
#include "io/record.h"
#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

REGISTER_OP("DatasetToTFRecord")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Input("compression_type: string")
    .Stateful()
    .ShapeFunction(NoOutputs);

class DatasetToTfRecordOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const std::string path, ScalarAt<std::string>(*context, 1, "filename"));
    ASSIGN_OR_RETURN(const std::string packed, ScalarAt<std::string>(*context, 2, "compression_type"));
    ASSIGN_OR_RETURN(const Compression compression, CompressionOf(packed));
    ASSIGN_OR_RETURN(const auto iterator, dataset->MakeIterator(context->step()));
    ASSIGN_OR_RETURN(std::unique_ptr<OutputStream> file, FileOutput::Open(path, FileOutput::Mode::kTruncate));
    if (compression != Compression::kNone) {
      ASSIGN_OR_RETURN(file, Compressed(std::move(file), compression));
    }
    RecordWriter writer(std::move(file));
    while (true) {
      Element element;
      RETURN_IF_ERROR(context->step()->Check());
      ASSIGN_OR_RETURN(const bool found, iterator->Next(context->step(), &element));
      if (!found) return writer.Close();
      if (element.size() != 1 || element[0].dtype() != DType::kString || element[0].rank() != 0) {
        return InvalidArgument("a record must be a scalar string");
      }
      RETURN_IF_ERROR(writer.Write(element[0].data<std::string>()[0]));
    }
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("DatasetToTFRecord").OnCpu(), DatasetToTfRecordOp);

}  // namespace
}  // namespace tfbuild
