// BroadcastTo: a tensor stretched to a shape; BroadcastGradientArgs: over which axes the gradients
// of two operands that broadcast together are summed.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

Status BroadcastToShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(1));
  const PartialShape& input = context->input(0);
  if (input.known_rank() && shape.known_rank()) {
    if (input.rank() > shape.rank()) {
      return InvalidArgument("cannot broadcast shape ", input, " to ", shape, " of lower rank");
    }
    for (int i = 0; i < input.rank(); ++i) {
      const int64_t from = input.dim(i);
      const int64_t to = shape.dim(shape.rank() - input.rank() + i);
      if (from > 1 && to != kUnknownDim && from != to) {
        return InvalidArgument("cannot broadcast shape ", input, " to ", shape);
      }
    }
  }
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status GradientArgsShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 1).status());
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  context->set_output(0, PartialShape({kUnknownDim}));
  context->set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

REGISTER_OP("BroadcastTo")
    .Input("input: T")
    .Input("shape: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(BroadcastToShape);

REGISTER_OP("BroadcastGradientArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Output("r1: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .ShapeFunction(GradientArgsShape);

class BroadcastToOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(context->input(1), "shape"));
    const Result<Shape> together = BroadcastShapes(input.shape(), shape);
    if (!together.ok() || *together != shape) {
      return InvalidArgument("Incompatible shapes: ", input.shape(), " vs. ", shape);
    }
    if (shape == input.shape()) {
      context->SetOutput(0, input);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    StridedCopy copy;
    copy.dims = shape.dims();
    copy.to_strides = DenseStrides(copy.dims);
    copy.from_strides.assign(copy.dims.size(), 0);
    const std::vector<int64_t> strides = DenseStrides(input.shape().dims());
    for (int i = 0; i < input.rank(); ++i) {
      const size_t k = static_cast<size_t>(shape.rank() - input.rank() + i);
      if (input.dim(i) != 1) copy.from_strides[k] = strides[static_cast<size_t>(i)];
    }
    return RunStridedCopy(context, copy, input, output);
  }
};

template <typename T>
class GradientArgsOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Shape s0, ShapeFrom(context->input(0), "s0"));
    ASSIGN_OR_RETURN(const Shape s1, ShapeFrom(context->input(1), "s1"));
    const Result<Shape> together = BroadcastShapes(s0, s1);
    if (!together.ok()) return InvalidArgument("Incompatible shapes: ", s0, " vs. ", s1);
    RETURN_IF_ERROR(SetAxes(context, 0, s0, s1));
    return SetAxes(context, 1, s1, s0);
  }

 private:
  // Output i: axes of the common shape along which `shape` was stretched.
  static Status SetAxes(OpKernelContext* context, int i, const Shape& shape, const Shape& other) {
    const int rank = std::max(shape.rank(), other.rank());
    const auto dim = [rank](const Shape& of, int k) {
      const int at = k - (rank - of.rank());
      return at < 0 ? int64_t{1} : of.dim(at);
    };
    std::vector<T> axes;
    // Two dimensions of 1 need no sum, but it does no harm and TensorFlow lists them, too.
    for (int k = 0; k < rank && shape != other; ++k) {
      if (dim(shape, k) == 1) axes.push_back(static_cast<T>(k));
    }
    ASSIGN_OR_RETURN(Tensor * output,
                     context->AllocateOutput(i, Shape{static_cast<int64_t>(axes.size())}));
    std::copy(axes.begin(), axes.end(), output->mutable_data<T>());
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("BroadcastTo").OnCpu(), BroadcastToOp);
REGISTER_KERNEL(Kernel("BroadcastTo").OnGpu().HostMemory("shape"), BroadcastToOp);

#define REGISTER(T)                                                                      \
  REGISTER_KERNEL(Kernel("BroadcastGradientArgs").OnCpu().Type<T>("T"), GradientArgsOp<T>); \
  REGISTER_KERNEL(Kernel("BroadcastGradientArgs")                                        \
                      .OnGpu()                                                           \
                      .Type<T>("T")                                                      \
                      .HostMemory("s0")                                                  \
                      .HostMemory("s1")                                                  \
                      .HostMemory("r0")                                                  \
                      .HostMemory("r1"),                                                 \
                  GradientArgsOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
