// Conv2D and its gradients with respect to the input and the filter. _Conv2DChain: Conv2D and then
// elementwise ops; _FusedConv2D: and then what a GPU's library does in the same call. The pass `fuse`
// makes both.
#include "graph/shape_context.h"
#include "kernels/framework/element_program.h"
#include "kernels/framework/epilogue.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/convolution.h"

namespace tfbuild {
namespace {

Result<PartialShape> Conv2DShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const Sliding sliding, ReadConvAttrs(*context));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape filter, context->WithRank(1, 4));
  return InferConvShape(sliding, input, filter);
}

// The shape that an input holds as a value; of rank 4.
Status Conv2DShapeFromSizes(ShapeContext* context, int sizes) {
  RETURN_IF_ERROR(ReadConvAttrs(*context).status());
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(sizes));
  if (shape.rank() != 4) shape = PartialShape::UnknownOfRank(4);
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("Conv2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .ShapeFunction([](ShapeContext* context) -> Status {
      ASSIGN_OR_RETURN(PartialShape shape, Conv2DShape(context));
      context->set_output(0, std::move(shape));
      return OkStatus();
    });

REGISTER_OP("_Conv2DChain")
    .Input("input: T")
    .Input("filter: T")
    .Input("args: N * T")
    .Output("output: T")
    .Attr("N: int >= 0")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Attr("ops: list(string)")
    .Attr("operands: list(int)")
    .ShapeFunction([](ShapeContext* context) -> Status {
      ASSIGN_OR_RETURN(PartialShape shape, Conv2DShape(context));
      return ElementEpilogue::InferShape(context, std::move(shape), 2);
    });

REGISTER_OP("_FusedConv2D")
    .Input("input: T")
    .Input("filter: T")
    .Input("args: num_args * T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("num_args: int >= 0")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Attr("fused_ops: list(string) = []")
    .ShapeFunction([](ShapeContext* context) -> Status {
      ASSIGN_OR_RETURN(PartialShape shape, Conv2DShape(context));
      ASSIGN_OR_RETURN(const std::string format, context->Attr<std::string>("data_format"));
      return InferEpilogue(context, std::move(shape), format == "NHWC" ? 3 : 1);
    });

REGISTER_OP("Conv2DBackpropInput")
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .ShapeFunction([](ShapeContext* context) { return Conv2DShapeFromSizes(context, 0); });

REGISTER_OP("Conv2DBackpropFilter")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .ShapeFunction([](ShapeContext* context) { return Conv2DShapeFromSizes(context, 1); });

class ConvOpBase : public OpKernel {
 public:
  explicit ConvOpBase(ConvPass pass) : convolution_(pass) {}
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadConvAttrs(construction));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 protected:
  Sliding sliding_;
  Convolution convolution_;
};

template <typename T>
class Conv2DOp final : public ConvOpBase {
 public:
  Conv2DOp() : ConvOpBase(ConvPass::kForward) {}
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    ASSIGN_OR_RETURN(const ConvDimensions dims,
                     MakeConvDimensions(sliding_, input.shape(), filter.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    return convolution_.Run(context, dims, input.data<T>(), filter.data<T>(),
                            output->mutable_data<T>());
  }
};

template <typename T>
class Conv2DChainOp final : public ConvOpBase {
 public:
  Conv2DChainOp() : ConvOpBase(ConvPass::kForward) {}
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(epilogue_.Init(construction, 2));
    return ConvOpBase::Init(construction);
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    ASSIGN_OR_RETURN(const ConvDimensions dims,
                     MakeConvDimensions(sliding_, input.shape(), filter.shape()));
    const auto convolve = [&](Tensor* output, const ElementRun* then) {
      return convolution_.Run(context, dims, input.data<T>(), filter.data<T>(),
                              output->mutable_data<T>(), then);
    };
    return epilogue_.Run(context, dims.output_shape(), convolve);
  }

 private:
  ElementEpilogue epilogue_;
};

template <typename T>
class Conv2DBackpropInputOp final : public ConvOpBase {
 public:
  Conv2DBackpropInputOp() : ConvOpBase(ConvPass::kInput) {}
  Status Compute(OpKernelContext* context) override {
    const Tensor& filter = context->input(1);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, context->input(0).IntValues());
    ASSIGN_OR_RETURN(const Shape input, InputShapeFromSizes(sizes, sliding_, filter.shape(),
                                                            gradient.shape()));
    ASSIGN_OR_RETURN(const ConvDimensions dims, MakeConvGradDimensions(
        sliding_, input, filter.shape(), gradient.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input));
    return convolution_.Run(context, dims, filter.data<T>(), gradient.data<T>(),
                            output->mutable_data<T>());
  }
};

template <typename T>
class Conv2DBackpropFilterOp final : public ConvOpBase {
 public:
  Conv2DBackpropFilterOp() : ConvOpBase(ConvPass::kFilter) {}
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(1).IntValues());
    ASSIGN_OR_RETURN(const Shape filter, Shape::Make(std::move(sizes)));
    ASSIGN_OR_RETURN(const ConvDimensions dims, MakeConvGradDimensions(
        sliding_, input.shape(), filter, gradient.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, filter));
    return convolution_.Run(context, dims, input.data<T>(), gradient.data<T>(),
                            output->mutable_data<T>());
  }
};

#define REGISTER(T)                                                                   \
  REGISTER_KERNEL(Kernel("Conv2D").OnCpu().Type<T>("T"), Conv2DOp<T>);                \
  REGISTER_KERNEL(Kernel("_Conv2DChain").OnCpu().Type<T>("T"), Conv2DChainOp<T>);     \
  REGISTER_KERNEL(Kernel("Conv2DBackpropInput").OnCpu().Type<T>("T"),                 \
                  Conv2DBackpropInputOp<T>);                                          \
  REGISTER_KERNEL(Kernel("Conv2DBackpropFilter").OnCpu().Type<T>("T"),                \
                  Conv2DBackpropFilterOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
