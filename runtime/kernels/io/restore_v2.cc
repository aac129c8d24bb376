// RestoreV2: tensors out of a checkpoint.
#include "graph/shape_context.h"
#include "kernels/io/read_checkpoint.h"

namespace tfbuild {
namespace {

// What is known are the shapes of parts, where constants say which.
Status RestoreShape(ShapeContext* context) {
  const Tensor* slices = context->input_tensor(2);
  for (int i = 0; i < context->num_outputs(); ++i) {
    context->set_output(i, PartialShape());
    if (slices == nullptr || i >= slices->num_elements()) continue;
    ASSIGN_OR_RETURN(const SliceSpec spec, SliceSpec::Parse(slices->data<std::string>()[i]));
    if (spec.is_whole) continue;
    ASSIGN_OR_RETURN(const Shape shape, spec.slice.ShapeIn(spec.full_shape));
    context->set_output(i, PartialShape(shape));
  }
  return OkStatus();
}

REGISTER_OP("RestoreV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Output("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .Stateful()
    .ShapeFunction(RestoreShape);

class RestoreV2Op final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(dtypes_, construction.Attr<std::vector<DType>>("dtypes"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const CheckpointInputs inputs, CheckpointInputs::Of(*context, dtypes_.size()));
    ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> reader, BundleReader::Open(inputs.prefix));
    for (size_t i = 0; i < dtypes_.size(); ++i) {
      ASSIGN_OR_RETURN(Tensor tensor, ReadFromCheckpoint(*reader, inputs, i, dtypes_[i]));
      context->SetOutput(static_cast<int>(i), std::move(tensor));
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  std::vector<DType> dtypes_;
};

REGISTER_KERNEL(Kernel("RestoreV2").OnCpu(), RestoreV2Op);

}  // namespace
}  // namespace tfbuild
