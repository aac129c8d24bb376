// Shape (of one tensor or of several), Size and Rank, as tensors on the host.
#include <limits>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status ShapeShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  context->set_output(0, PartialShape({input.known_rank() ? input.rank() : kUnknownDim}));
  return OkStatus();
}

REGISTER_OP("Shape")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .ShapeFunction(ShapeShape);

REGISTER_OP("Size")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .ShapeFunction(ScalarShape);

REGISTER_OP("Rank")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .ShapeFunction(ScalarShape);

Status ShapesShape(ShapeContext* context) {
  for (int i = 0; i < context->num_inputs(); ++i) {
    const PartialShape& input = context->input(i);
    context->set_output(i, PartialShape({input.known_rank() ? input.rank() : kUnknownDim}));
  }
  return OkStatus();
}

REGISTER_OP("ShapeN")
    .Input("input: N * T")
    .Output("output: N * out_type")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .ShapeFunction(ShapesShape);

// Writes the values into output `i` of that shape, which is of int32 or int64.
Status SetInts(OpKernelContext* context, const Shape& shape, const std::vector<int64_t>& values,
               int i = 0) {
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i, shape));
  for (size_t k = 0; k < values.size(); ++k) {
    if (output->dtype() == DType::kInt64) {
      output->mutable_data<int64_t>()[k] = values[k];
    } else if (values[k] > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument(values[k], " of shape ", context->input(i).shape(),
                             " does not fit in int32; ask for out_type int64");
    } else {
      output->mutable_data<int32_t>()[k] = static_cast<int32_t>(values[k]);
    }
  }
  return OkStatus();
}

class ShapeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    return SetInts(context, Shape{shape.rank()}, shape.dims());
  }
};

class ShapesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Shape& shape = context->input(i).shape();
      RETURN_IF_ERROR(SetInts(context, Shape{shape.rank()}, shape.dims(), i));
    }
    return OkStatus();
  }
};

class SizeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return SetInts(context, Shape{}, {context->input(0).num_elements()});
  }
};

class RankOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return SetInts(context, Shape{}, {context->input(0).rank()});
  }
};

#define REGISTER(OP, KERNEL)               \
  REGISTER_KERNEL(Kernel(OP).OnCpu(), KERNEL); \
  REGISTER_KERNEL(Kernel(OP).OnGpu().HostMemory("output"), KERNEL);
REGISTER("Shape", ShapeOp)
REGISTER("ShapeN", ShapesOp)
REGISTER("Size", SizeOp)
REGISTER("Rank", RankOp)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
