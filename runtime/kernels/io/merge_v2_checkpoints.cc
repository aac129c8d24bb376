// MergeV2Checkpoints: one checkpoint of several; and the names of the files that these have.
#include "graph/shape_context.h"
#include "io/bundle.h"
#include "kernels/framework/op_kernel.h"

#include <unistd.h>

#include <cstdio>
#include <set>

namespace tfbuild {
namespace {

REGISTER_OP("MergeV2Checkpoints")
    .Input("checkpoint_prefixes: string")
    .Input("destination_prefix: string")
    .Attr("delete_old_dirs: bool = true")
    .Attr("allow_missing_files: bool = false")
    .Stateful()
    .ShapeFunction(NoOutputs);

REGISTER_OP("ShardedFilename")
    .Input("basename: string")
    .Input("shard: int32")
    .Input("num_shards: int32")
    .Output("filename: string")
    .ShapeFunction(ScalarShape);

REGISTER_OP("ShardedFilespec")
    .Input("basename: string")
    .Input("num_shards: int32")
    .Output("filename: string")
    .ShapeFunction(ScalarShape);

// InvalidArgument unless each of the inputs has one element.
Status AskForScalars(const OpKernelContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input(i).num_elements() == 1) continue;
    return InvalidArgument("input ", i, " must be a scalar, but its shape is ",
                           context.input(i).shape());
  }
  return OkStatus();
}

class MergeV2CheckpointsOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(delete_old_dirs_, construction.Attr<bool>("delete_old_dirs"));
    ASSIGN_OR_RETURN(allow_missing_, construction.Attr<bool>("allow_missing_files"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& prefixes = context->input(0);
    const Tensor& destination = context->input(1);
    if (destination.num_elements() != 1) {
      return InvalidArgument("destination_prefix must hold one string, but its shape is ",
                             destination.shape());
    }
    std::vector<std::string> sources;
    for (int64_t i = 0; i < prefixes.num_elements(); ++i) {
      const std::string& prefix = prefixes.data<std::string>()[i];
      if (!allow_missing_ || FileExists(BundleIndexName(prefix))) sources.push_back(prefix);
    }
    if (sources.empty()) return NotFound("there are no checkpoints to merge");
    const std::string& target = destination.data<std::string>()[0];
    RETURN_IF_ERROR(MergeBundles(sources, target));
    if (delete_old_dirs_) RemoveFolders(sources, target);
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  static std::string FolderOf(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
  }
  // Those that are empty now; what else they hold stays.
  static void RemoveFolders(const std::vector<std::string>& sources, const std::string& target) {
    std::set<std::string> folders;
    for (const std::string& source : sources) folders.insert(FolderOf(source));
    folders.erase(FolderOf(target));
    for (const std::string& folder : folders) rmdir(folder.c_str());
  }

  bool delete_old_dirs_ = true;
  bool allow_missing_ = false;
};

class ShardedFilenameOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(AskForScalars(*context));
    char number[64];
    std::snprintf(number, sizeof(number), "-%05d-of-%05d", context->input(1).data<int32_t>()[0],
                  context->input(2).data<int32_t>()[0]);
    const std::string& name = context->input(0).data<std::string>()[0];
    context->SetOutput(0, Tensor::Strings(Shape{}, {name + number}));
    return OkStatus();
  }
};

// The pattern of all such names.
class ShardedFilespecOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(AskForScalars(*context));
    char number[32];
    std::snprintf(number, sizeof(number), "-\?\?\?\?\?-of-%05d", context->input(1).data<int32_t>()[0]);
    const std::string& name = context->input(0).data<std::string>()[0];
    context->SetOutput(0, Tensor::Strings(Shape{}, {name + number}));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("MergeV2Checkpoints").OnCpu(), MergeV2CheckpointsOp);
REGISTER_KERNEL(Kernel("ShardedFilename").OnCpu(), ShardedFilenameOp);
REGISTER_KERNEL(Kernel("ShardedFilespec").OnCpu(), ShardedFilespecOp);

}  // namespace
}  // namespace tfbuild
