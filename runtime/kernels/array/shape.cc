// Shape, Size and Rank of a tensor, and ShapeN of several, as tensors on the host.
#include <limits>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// A vector for each input.
Status ShapeShape(ShapeContext* context) {
  for (int i = 0; i < context->num_inputs(); ++i) {
    const PartialShape& input = context->input(i);
    context->set_output(i, PartialShape({input.known_rank() ? input.rank() : kUnknownDim}));
  }
  return OkStatus();
}

REGISTER_OP("Shape")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .ShapeFunction(ShapeShape);

REGISTER_OP("ShapeN")
    .Input("input: N * T")
    .Output("output: N * out_type")
    .Attr("N: int >= 1")
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

// Writes the values into that output of that shape, which is of int32 or int64.
Status SetInts(OpKernelContext* context, int number, const Shape& shape,
               const std::vector<int64_t>& values) {
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(number, shape));
  for (size_t i = 0; i < values.size(); ++i) {
    if (output->dtype() == DType::kInt64) {
      output->mutable_data<int64_t>()[i] = values[i];
    } else if (values[i] > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument(values[i], " of shape ", context->input(number).shape(),
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
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Shape& shape = context->input(i).shape();
      RETURN_IF_ERROR(SetInts(context, i, Shape{shape.rank()}, shape.dims()));
    }
    return OkStatus();
  }
};

class SizeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return SetInts(context, 0, Shape{}, {context->input(0).num_elements()});
  }
};

class RankOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return SetInts(context, 0, Shape{}, {context->input(0).rank()});
  }
};

#define REGISTER(OP, KERNEL)               \
  REGISTER_KERNEL(Kernel(OP).OnCpu(), KERNEL); \
  REGISTER_KERNEL(Kernel(OP).OnGpu().HostMemory("output"), KERNEL);
REGISTER("Shape", ShapeOp)
REGISTER("ShapeN", ShapeOp)
REGISTER("Size", SizeOp)
REGISTER("Rank", RankOp)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
