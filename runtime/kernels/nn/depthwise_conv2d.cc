// DepthwiseConv2dNative and its gradients: a convolution with as many groups as input channels. Its
// filter [rows, cols, channels, multiplier] is that of the grouped convolution,
// [rows, cols, 1, channels * multiplier], under another shape.
#include <algorithm>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/convolution.h"

namespace tfbuild {
namespace {

Status DepthwiseShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const Sliding sliding, ReadConvAttrs(*context));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape filter, context->WithRank(1, 4));
  const int64_t channels = input.dim(AxesOf(sliding.format).channels);
  const int64_t in = filter.dim(2);
  if (channels != in && channels != kUnknownDim && in != kUnknownDim) {
    return InvalidArgument("input has ", channels, " channels but the filter has ", in);
  }
  const bool known = in != kUnknownDim && filter.dim(3) != kUnknownDim &&
                     in <= kMaxElements && filter.dim(3) <= kMaxElements / std::max<int64_t>(in, 1);
  const PartialShape grouped{filter.dim(0), filter.dim(1), kUnknownDim,
                             known ? in * filter.dim(3) : kUnknownDim};
  ASSIGN_OR_RETURN(PartialShape output, InferConvShape(sliding, input, grouped));
  context->set_output(0, std::move(output));
  return OkStatus();
}

// The shape that an input holds as a value; of rank 4.
Status DepthwiseShapeFromSizes(ShapeContext* context, int sizes) {
  RETURN_IF_ERROR(ReadConvAttrs(*context).status());
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(sizes));
  if (!shape.known_rank()) shape = PartialShape::UnknownOfRank(4);
  if (shape.rank() != 4) return InvalidArgument("sizes must be 4 numbers, not ", shape.rank());
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("DepthwiseConv2dNative")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .ShapeFunction(DepthwiseShape);

REGISTER_OP("DepthwiseConv2dNativeBackpropInput")
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .ShapeFunction([](ShapeContext* context) { return DepthwiseShapeFromSizes(context, 0); });

REGISTER_OP("DepthwiseConv2dNativeBackpropFilter")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .ShapeFunction([](ShapeContext* context) { return DepthwiseShapeFromSizes(context, 1); });

template <typename T, ConvPass kPass>
class DepthwiseOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadConvAttrs(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Shape input, ShapeAt(*context, 0, ConvPass::kInput));
    ASSIGN_OR_RETURN(const Shape filter, ShapeAt(*context, 1, ConvPass::kFilter));
    ASSIGN_OR_RETURN(const Shape grouped, GroupedFilter(sliding_, input, filter));
    if (kPass == ConvPass::kForward) {
      ASSIGN_OR_RETURN(const ConvDimensions dims, MakeConvDimensions(sliding_, input, grouped));
      return RunPass(context, dims, 0, 1, dims.output_shape());
    }
    ASSIGN_OR_RETURN(const ConvDimensions dims,
                     MakeConvGradDimensions(sliding_, input, grouped, context->input(2).shape()));
    if (kPass == ConvPass::kInput) return RunPass(context, dims, 1, 2, input);
    return RunPass(context, dims, 0, 2, filter);
  }

  bool IsExpensive() const override { return true; }

 private:
  // The shape of input i, or the one it holds in the pass that computes its gradient.
  static Result<Shape> ShapeAt(const OpKernelContext& context, int i, ConvPass as_sizes) {
    if (kPass != as_sizes) return context.input(i).shape();
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context.input(i).IntValues());
    return Shape::Make(std::move(sizes));
  }

  Status RunPass(OpKernelContext* context, const ConvDimensions& dims, int first, int second,
                 const Shape& shape) {
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    return convolution_.Run(context, dims, context->input(first).data<T>(),
                            context->input(second).data<T>(), output->mutable_data<T>());
  }

  Sliding sliding_;
  Convolution convolution_{kPass};
};

#define REGISTER(T)                                                                   \
  REGISTER_KERNEL(Kernel("DepthwiseConv2dNative").OnCpu().Type<T>("T"),               \
                  DepthwiseOp<T, ConvPass::kForward>);                                \
  REGISTER_KERNEL(Kernel("DepthwiseConv2dNativeBackpropInput").OnCpu().Type<T>("T"),  \
                  DepthwiseOp<T, ConvPass::kInput>);                                  \
  REGISTER_KERNEL(Kernel("DepthwiseConv2dNativeBackpropFilter").OnCpu().Type<T>("T"), \
                  DepthwiseOp<T, ConvPass::kFilter>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
