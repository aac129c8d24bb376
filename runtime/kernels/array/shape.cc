// Shape, Size and Rank of a tensor, as tensors on the host.
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

// Writes the values into output 0 of that shape, which is of int32 or int64.
Status SetInts(OpKernelContext* context, const Shape& shape, const std::vector<int64_t>& values) {
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
  for (size_t i = 0; i < values.size(); ++i) {
    if (output->dtype() == DType::kInt64) {
      output->mutable_data<int64_t>()[i] = values[i];
    } else if (values[i] > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument(values[i], " of shape ", context->input(0).shape(),
                             " does not fit in int32; ask for out_type int64");
    } else {
      output->mutable_data<int32_t>()[i] = static_cast<int32_t>(values[i]);
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
REGISTER("Size", SizeOp)
REGISTER("Rank", RankOp)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
