// Fill, ZerosLike and OnesLike: tensors of one repeated value.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"
#include "kernels/framework/variant_sum.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status FillShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  ASSIGN_OR_RETURN(const auto dims, KnownInts(*context, 0));
  if (dims) {
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(*dims));
    context->set_output(0, shape);
    return OkStatus();
  }
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(0));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("Fill")
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = DT_INT32")
    .ShapeFunction(FillShape);

REGISTER_OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, int32, int64, complex64, "
          "complex128, bool, uint16, uint32, uint64}")
    .ShapeFunction(UnchangedShape);

class FillOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(context->input(0), "dims"));
    if (value.num_elements() != 1) {
      return InvalidArgument("value must be a scalar, but its shape is ", value.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    return RunFill(context, value, output);
  }
};

class ZerosLikeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    if (x.dtype() == DType::kVariant) {
      ASSIGN_OR_RETURN(Tensor zeros, HostZerosLike(x));
      context->SetOutput(0, std::move(zeros));
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * y, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
    return RunZero(context, y);
  }
};

template <typename T>
class OnesLikeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(Tensor * y,
                     context->ForwardOrAllocateOutput({0}, 0, context->input(0).shape()));
    return RunFill(context, Tensor::Scalar<T>(static_cast<T>(1)), y);
  }
};

REGISTER_KERNEL(Kernel("Fill").OnCpu(), FillOp);
REGISTER_KERNEL(Kernel("Fill").OnGpu().HostMemory("dims"), FillOp);
REGISTER_KERNEL(Kernel("ZerosLike").OnCpu(), ZerosLikeOp);
REGISTER_KERNEL(Kernel("ZerosLike").OnGpu(), ZerosLikeOp);

#define REGISTER(T) REGISTER_KERNEL(Kernel("OnesLike").OnCpu().Type<T>("T"), OnesLikeOp<T>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER(bool)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
