// ParseTensor and SerializeTensor: a tensor as TensorFlow's message TensorProto.
#include "graph/shape_context.h"
#include "graph/tensor_proto.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("ParseTensor")
    .Input("serialized: string")
    .Output("output: out_type")
    .Attr("out_type: type")
    .ShapeFunction(UnknownShape);

REGISTER_OP("SerializeTensor")
    .Input("tensor: T")
    .Output("serialized: string")
    .Attr("T: type")
    .ShapeFunction(ScalarShape);

class ParseTensorOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(dtype_, construction.Attr<DType>("out_type"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& serialized = context->input(0);
    if (serialized.rank() != 0) {
      return InvalidArgument("Expected `serialized` to be a scalar, got shape: ", serialized.shape());
    }
    ParseBudget budget;
    Result<Tensor> tensor = ParseTensor(serialized.data<std::string>()[0], &budget);
    if (!tensor.ok()) {
      return InvalidArgument("Could not parse `serialized` as TensorProto: ", tensor.status().message());
    }
    if (tensor->dtype() != dtype_) {
      return InvalidArgument("Type mismatch between parsed tensor (", DTypeName(tensor->dtype()),
                             ") and dtype (", DTypeName(dtype_), ")");
    }
    context->SetOutput(0, *std::move(tensor));
    return OkStatus();
  }

 private:
  DType dtype_ = DType::kInvalid;
};

class SerializeTensorOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& tensor = context->input(0);
    if (tensor.dtype() == DType::kVariant || tensor.dtype() == DType::kResource) {
      return Unimplemented("a tensor of type ", DTypeName(tensor.dtype()), " cannot be serialized");
    }
    context->SetOutput(0, Tensor::Strings(Shape{}, {SerializeTensor(tensor)}));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("ParseTensor").OnCpu(), ParseTensorOp);
REGISTER_KERNEL(Kernel("SerializeTensor").OnCpu(), SerializeTensorOp);

}  // namespace
}  // namespace tfbuild
