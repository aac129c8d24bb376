// Restore and RestoreSlice: one tensor out of a checkpoint, as graphs of its version 1 do.
#include "graph/shape_context.h"
#include "kernels/io/read_checkpoint.h"

namespace tfbuild {
namespace {

Status SliceShape(ShapeContext* context) {
  context->set_output(0, PartialShape());
  const Tensor* slice = context->input_tensor(2);
  if (slice == nullptr || slice->num_elements() != 1) return OkStatus();
  ASSIGN_OR_RETURN(const SliceSpec spec, SliceSpec::Parse(slice->data<std::string>()[0]));
  if (spec.is_whole) return OkStatus();
  ASSIGN_OR_RETURN(const Shape shape, spec.slice.ShapeIn(spec.full_shape));
  context->set_output(0, PartialShape(shape));
  return OkStatus();
}

REGISTER_OP("Restore")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .Stateful()
    .ShapeFunction(UnknownShape);

REGISTER_OP("RestoreSlice")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Input("shape_and_slice: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .Stateful()
    .ShapeFunction(SliceShape);

// The preferred shard only says where to look first; all files are known here.
class RestoreOneOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(dtype_, construction.Attr<DType>("dt"));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 protected:
  Status Read(OpKernelContext* context, const CheckpointInputs& inputs) const {
    ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> reader, BundleReader::Open(inputs.prefix));
    ASSIGN_OR_RETURN(Tensor tensor, ReadFromCheckpoint(*reader, inputs, 0, dtype_));
    context->SetOutput(0, std::move(tensor));
    return OkStatus();
  }

 private:
  DType dtype_ = DType::kInvalid;
};

class RestoreOp final : public RestoreOneOp {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const CheckpointInputs inputs, CheckpointInputs::OfWholes(*context, 1));
    return Read(context, inputs);
  }
};

class RestoreSliceOp final : public RestoreOneOp {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const CheckpointInputs inputs, CheckpointInputs::Of(*context, 1));
    return Read(context, inputs);
  }
};

REGISTER_KERNEL(Kernel("Restore").OnCpu(), RestoreOp);
REGISTER_KERNEL(Kernel("RestoreSlice").OnCpu(), RestoreSliceOp);

}  // namespace
}  // namespace tfbuild
