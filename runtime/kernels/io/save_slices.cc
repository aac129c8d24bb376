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

// kFirst: the number of the first input that is a tensor to save.
template <int kFirst>
class SaveOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    constexpr bool kOfSlices = kFirst == 3;
    const int count = context->num_inputs() - kFirst;
    ASSIGN_OR_RETURN(const CheckpointInputs inputs,
                     kOfSlices ? CheckpointInputs::Of(*context, static_cast<size_t>(count))
                               : CheckpointInputs::OfWholes(*context, static_cast<size_t>(count)));
    OldCheckpointWriter writer(inputs.prefix);
    for (int i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const SliceSpec spec, inputs.Slice(static_cast<size_t>(i)));
      RETURN_IF_ERROR(writer.Add(inputs.names[i], spec, context->input(kFirst + i)));
    }
    return writer.Finish();
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("Save").OnCpu(), SaveOp<2>);
REGISTER_KERNEL(Kernel("SaveSlices").OnCpu(), SaveOp<3>);

}  // namespace
}  // namespace tfbuild
