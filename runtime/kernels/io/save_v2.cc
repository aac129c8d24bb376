// SaveV2: tensors into a checkpoint.
#include "graph/shape_context.h"
#include "io/bundle.h"
#include "kernels/io/checkpoint_inputs.h"

namespace tfbuild {
namespace {

REGISTER_OP("SaveV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Input("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .Stateful()
    .ShapeFunction(NoOutputs);

class SaveV2Op final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    constexpr int kFirst = 3;
    const size_t count = static_cast<size_t>(context->num_inputs() - kFirst);
    ASSIGN_OR_RETURN(const CheckpointInputs inputs, CheckpointInputs::Of(*context, count));
    ASSIGN_OR_RETURN(const std::unique_ptr<BundleWriter> writer, BundleWriter::Open(inputs.prefix));
    for (size_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const SliceSpec spec, inputs.Slice(i));
      const Tensor& tensor = context->input(kFirst + static_cast<int>(i));
      RETURN_IF_ERROR(writer->Add(inputs.names[i], spec, tensor));
    }
    return writer->Finish();
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("SaveV2").OnCpu(), SaveV2Op);

}  // namespace
}  // namespace tfbuild
