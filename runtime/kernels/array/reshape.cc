// Reshape: the same elements under another shape; one dimension may be -1, which means the rest.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

// The unknown dimension follows when it is the only one and the number of elements is known.
Status ReshapeShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(1));
  const int64_t elements = context->input(0).num_elements();
  if (!shape.known_rank() || elements == kUnknownDim) {
    context->set_output(0, std::move(shape));
    return OkStatus();
  }
  std::vector<int64_t> dims = shape.dims();
  int64_t* unknown = nullptr;
  int unknowns = 0;
  int64_t product = 1;
  for (int64_t& dim : dims) {
    if (dim == kUnknownDim) {
      unknown = &dim;
      ++unknowns;
    } else {
      if (dim > 0 && product > kMaxElements / dim) {
        return InvalidArgument("shape ", shape, " has too many elements");
      }
      product *= dim;
    }
  }
  const bool fits = unknowns == 0 ? product == elements : product == 0 || elements % product == 0;
  if (unknowns <= 1 && !fits) {
    return InvalidArgument("cannot reshape a tensor of shape ", context->input(0), " (", elements,
                           " elements) to shape ", shape);
  }
  if (unknowns == 1 && product > 0) *unknown = elements / product;
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("Reshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .ShapeFunction(ReshapeShape);

// Replaces a -1. When the wanted shape is empty, dimensions of 0 cancel each other out: [0,2] fits
// [-1,0] as [2,0].
Status InferDimension(const Shape& input, std::vector<int64_t>* dims) {
  int64_t* unknown = nullptr;
  int64_t product = 1;
  bool wants_empty = false;
  for (int64_t& dim : *dims) {
    if (dim == -1 && unknown != nullptr) {
      return InvalidArgument("Only one input size may be -1, not two in the shape");
    }
    if (dim == -1) {
      unknown = &dim;
    } else if (dim == 0) {
      wants_empty = true;
    } else if (dim > kMaxElements / product) {
      return InvalidArgument("shape has too many elements");
    } else if (dim > 0) {
      product *= dim;
    }
  }
  if (unknown == nullptr) return OkStatus();
  int64_t elements = 1;
  for (const int64_t dim : input.dims()) {
    if (dim != 0 || !wants_empty) elements *= dim;
  }
  if (elements % product != 0) {
    return InvalidArgument("Input to reshape is a tensor with ", input.num_elements(),
                           " values, but the requested shape requires a multiple of ", product);
  }
  *unknown = elements / product;
  return OkStatus();
}

class ReshapeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(std::vector<int64_t> dims, VectorFrom(context->input(1), "shape"));
    RETURN_IF_ERROR(InferDimension(input.shape(), &dims));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor output, input.Reshaped(shape));
    context->SetOutput(0, std::move(output));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Reshape").OnCpu(), ReshapeOp);
REGISTER_KERNEL(Kernel("Reshape").OnGpu().HostMemory("shape"), ReshapeOp);

}  // namespace
}  // namespace tfbuild
