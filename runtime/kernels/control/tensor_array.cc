// TensorArrays: tensors by number that live as long as a step. Loops write and read them, and their
// gradients keep in them what a loop has computed. Operations on one array are ordered by its flow, a
// number that each hands on.
#include "kernels/control/tensor_array.h"

namespace tfbuild {

Status HandleAndFlowShape(ShapeContext* context) {
  context->set_output(0, PartialShape({2}));
  context->set_output(1, PartialShape(std::vector<int64_t>{}));
  return OkStatus();
}

namespace {

REGISTER_OP("TensorArrayV3")
    .Input("size: int32")
    .Output("handle: resource")
    .Output("flow: float")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("identical_element_shapes: bool = false")
    .Attr("tensor_array_name: string = ''")
    .Stateful()
    .ShapeFunction(HandleAndFlowShape);
REGISTER_OP("TensorArrayWriteV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("TensorArrayReadV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .ShapeFunction(UnknownShape);
REGISTER_OP("TensorArraySizeV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("size: int32")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("TensorArrayCloseV3").Input("handle: resource").Stateful().ShapeFunction(NoOutputs);

class TensorArrayOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(options_.dtype, construction.Attr<DType>("dtype"));
    ASSIGN_OR_RETURN(options_.element_shape, construction.Attr<PartialShape>("element_shape"));
    ASSIGN_OR_RETURN(options_.grows, construction.Attr<bool>("dynamic_size"));
    ASSIGN_OR_RETURN(options_.clears, construction.Attr<bool>("clear_after_read"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t size, IntFrom(context->input(0), "size"));
    if (size < 0 || size > TensorArray::kMaxLength) {
      return InvalidArgument("no array has ", size, " elements");
    }
    if (context->step() == nullptr) return FailedPrecondition("only a step has arrays");
    ASSIGN_OR_RETURN(Tensor * handle, context->AllocateOutput(0, Shape{2}));
    int64_t* numbers = static_cast<int64_t*>(handle->raw());
    numbers[0] = context->step()->resources.Add(std::make_shared<TensorArray>(size, options_));
    numbers[1] = context->step()->id;
    context->SetOutput(1, Tensor::Scalar<float>(0));
    return OkStatus();
  }

 private:
  TensorArray::Options options_;
};

class TensorArrayWriteOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    ASSIGN_OR_RETURN(const int64_t index, IntFrom(context->input(1), "index"));
    RETURN_IF_ERROR(array->Write(index, context->input(2), context));
    context->SetOutput(0, context->input(3));
    return OkStatus();
  }
};

class TensorArrayReadOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    ASSIGN_OR_RETURN(const int64_t index, IntFrom(context->input(1), "index"));
    ASSIGN_OR_RETURN(Tensor value, array->Read(index, context));
    context->SetOutput(0, std::move(value));
    return OkStatus();
  }
};

class TensorArraySizeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    context->SetOutput(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(array->size())));
    return OkStatus();
  }
};

class TensorArrayCloseOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t handle, HandleAt(*context, 0));
    return context->step()->resources.Remove(handle);
  }
};

TFBUILD_ARRAY_KERNEL("TensorArrayV3", TensorArrayOp)
TFBUILD_ARRAY_KERNEL("TensorArrayWriteV3", TensorArrayWriteOp)
TFBUILD_ARRAY_KERNEL("TensorArrayReadV3", TensorArrayReadOp)
TFBUILD_ARRAY_KERNEL("TensorArraySizeV3", TensorArraySizeOp)
TFBUILD_ARRAY_KERNEL("TensorArrayCloseV3", TensorArrayCloseOp)

}  // namespace
}  // namespace tfbuild
