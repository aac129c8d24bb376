// ReadFile and WriteFile.
#include <sys/stat.h>

#include <utility>

#include "graph/shape_context.h"
#include "io/file.h"
#include "io/whole_file.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// Stateful, so that no plan keeps what a file once held.
REGISTER_OP("ReadFile")
    .Input("filename: string")
    .Output("contents: string")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("WriteFile")
    .Input("filename: string")
    .Input("contents: string")
    .Stateful()
    .ShapeFunction(NoOutputs);

Result<std::string> OneString(const OpKernelContext& context, int i, const char* what) {
  const Tensor& input = context.input(i);
  if (input.rank() == 0) return *input.data<std::string>();
  return InvalidArgument(what, " tensor must be scalar, but had shape: ", input.shape());
}

// Makes the folders that a path is to be in.
Status MakeFoldersOf(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return FileError(folder, "mkdir");
  }
  return OkStatus();
}

class ReadFileOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::string path, OneString(*context, 0, "Input filename"));
    ASSIGN_OR_RETURN(std::string contents, ReadWholeFile(path));
    context->SetOutput(0, Tensor::Strings(Shape{}, {std::move(contents)}));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }
};

class WriteFileOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::string path, OneString(*context, 0, "Input filename"));
    ASSIGN_OR_RETURN(const std::string contents, OneString(*context, 1, "Contents"));
    RETURN_IF_ERROR(MakeFoldersOf(path));
    ASSIGN_OR_RETURN(const std::unique_ptr<FileOutput> file,
                     FileOutput::Open(path, FileOutput::Mode::kTruncate));
    RETURN_IF_ERROR(file->Append(contents));
    return file->Close();
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("ReadFile").OnCpu(), ReadFileOp);
REGISTER_KERNEL(Kernel("WriteFile").OnCpu(), WriteFileOp);

}  // namespace
}  // namespace tfbuild
