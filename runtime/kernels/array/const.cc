// Const: a tensor that is part of the graph.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status ConstShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const Tensor value, context->Attr<Tensor>("value"));
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("dtype"));
  if (value.dtype() != dtype) {
    return InvalidArgument("value has type ", DTypeName(value.dtype()), ", not ", DTypeName(dtype));
  }
  context->set_output(0, PartialShape(value.shape()));
  return OkStatus();
}

REGISTER_OP("Const")
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .ShapeFunction(ConstShape);

// A constant of a type that lies on the host although its node is on a GPU, in the GPU's memory.
// A pass puts it where a kernel reads it there.
REGISTER_OP("_DeviceConst")
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .ShapeFunction(ConstShape);

class ConstOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(value_, construction.Attr<Tensor>("value"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, value_);
    return OkStatus();
  }

 private:
  Tensor value_;
};

// On a GPU: copied there once.
class DeviceConstOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const Tensor value, construction.Attr<Tensor>("value"));
    Device* device = construction.device;
    ASSIGN_OR_RETURN(value_, Tensor::Allocate(device->allocator(), value.dtype(), value.shape()));
    return device->CopyFromHost(value, &value_);
  }
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, value_);
    return OkStatus();
  }

 private:
  Tensor value_;
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("Const").OnGpu().Type<T>("dtype"), DeviceConstOp);
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
REGISTER(uint8_t)
REGISTER(bool)
#undef REGISTER
// Shapes, axes and counts: what uses them reads them on the host.
REGISTER_KERNEL(Kernel("Const").OnGpu().Type<int32_t>("dtype").HostMemory("output"), ConstOp);
REGISTER_KERNEL(Kernel("_DeviceConst").OnGpu().Type<int32_t>("dtype"), DeviceConstOp);

#define REGISTER(T) REGISTER_KERNEL(Kernel("Const").OnCpu().Type<T>("dtype"), ConstOp);
TFBUILD_COMPLEX_TYPES(REGISTER)
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER(bool)
REGISTER(std::string)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
