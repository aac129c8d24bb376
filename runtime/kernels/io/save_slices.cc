// Save and SaveSlices: tensors into a checkpoint of version 1.
#include "graph/shape_context.h"
#include "io/old_checkpoint.h"
#include "kernels/io/checkpoint_inputs.h"

namespace tfbuild {
namespace {

REGISTER_OP("Save")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Stateful()
    .ShapeFunction(NoOutputs);

REGISTER_OP("SaveSlices")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("shapes_and_slices: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Stateful()
    .ShapeFunction(NoOutputs);

Status Write(const OpKernelContext& context, const CheckpointInputs& inputs, size_t first) {
  OldCheckpointWriter writer(inputs.prefix);
  const size_t count = static_cast<size_t>(context.num_inputs()) - first;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const SliceSpec spec, inputs.Slice(i));
    const Tensor& tensor = context.input(static_cast<int>(first + i));
    RETURN_IF_ERROR(writer.Add(inputs.names[i], spec, tensor));
  }
  return writer.Finish();
}

class SaveOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    constexpr size_t kFirst = 2;
    const size_t count = static_cast<size_t>(context->num_inputs()) - kFirst;
    ASSIGN_OR_RETURN(const CheckpointInputs inputs, CheckpointInputs::OfWholes(*context, count));
    return Write(*context, inputs, kFirst);
  }
  bool IsExpensive() const override { return true; }
};

class SaveSlicesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    constexpr size_t kFirst = 3;
    const size_t count = static_cast<size_t>(context->num_inputs()) - kFirst;
    ASSIGN_OR_RETURN(const CheckpointInputs inputs, CheckpointInputs::Of(*context, count));
    return Write(*context, inputs, kFirst);
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("Save").OnCpu(), SaveOp);
REGISTER_KERNEL(Kernel("SaveSlices").OnCpu(), SaveSlicesOp);

}  // namespace
}  // namespace tfbuild
