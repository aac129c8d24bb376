// Slice: the block of `size` elements from `begin`; a size of -1 means all that is left.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

Status SliceShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  ASSIGN_OR_RETURN(const auto begin, KnownInts(*context, 1));
  ASSIGN_OR_RETURN(const auto size, KnownInts(*context, 2));
  if (!size) {
    // A size that is not known, or -1, is one of which nothing can be said.
    ASSIGN_OR_RETURN(const PartialShape sizes, context->input_as_shape(2));
    if (input.known_rank() && sizes.known_rank()) {
      RETURN_IF_ERROR(context->WithRank(0, sizes.rank()).status());
    }
    const bool only_rank = input.known_rank() && !sizes.known_rank();
    context->set_output(0, only_rank ? PartialShape::UnknownOfRank(input.rank()) : sizes);
    return OkStatus();
  }
  const int rank = static_cast<int>(size->size());
  ASSIGN_OR_RETURN(const PartialShape known, context->WithRank(0, rank));
  if (begin && begin->size() != size->size()) {
    return InvalidArgument("begin has ", begin->size(), " elements, but size has ", size->size());
  }
  std::vector<int64_t> dims = *size;
  for (size_t k = 0; k < dims.size(); ++k) {
    const int64_t dim = known.dim(static_cast<int>(k));
    if (dims[k] < -1) return InvalidArgument("size[", k, "] is negative: ", dims[k]);
    if (begin && dim != kUnknownDim) {
      const int64_t start = (*begin)[k];
      if (start < 0 || start > dim || dims[k] > dim - start) {
        return InvalidArgument("slice from ", start, " of size ", dims[k], " leaves dimension ", k,
                               " of shape ", input);
      }
      if (dims[k] == -1) dims[k] = dim - start;
    }
  }
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("Slice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .ShapeFunction(SliceShape);

class SliceOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> begin, VectorFrom(context->input(1), "begin"));
    ASSIGN_OR_RETURN(std::vector<int64_t> size, VectorFrom(context->input(2), "size"));
    const size_t rank = static_cast<size_t>(input.rank());
    if (begin.size() != rank || size.size() != rank) {
      return InvalidArgument("begin and size must have ", rank, " elements, not ", begin.size(),
                             " and ", size.size());
    }
    const std::vector<int64_t> from_strides = DenseStrides(input.shape().dims());
    StridedCopy copy;
    for (size_t k = 0; k < rank; ++k) {
      const int64_t dim = input.dim(static_cast<int>(k));
      if (begin[k] < 0 || begin[k] > dim) {
        return InvalidArgument("Expected begin[", k, "] in [0, ", dim, "], but got ", begin[k]);
      }
      if (size[k] == -1) size[k] = dim - begin[k];
      if (size[k] < 0 || size[k] > dim - begin[k]) {
        return InvalidArgument("Expected size[", k, "] in [0, ", dim - begin[k], "], but got ",
                               size[k]);
      }
      copy.AddDim(size[k], from_strides[k], 0);
      copy.from += begin[k] * from_strides[k];
    }
    copy.to_strides = DenseStrides(size);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(size)));
    if (shape == input.shape()) {
      context->SetOutput(0, input);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    return RunStridedCopy(context, copy, input, output);
  }
};

REGISTER_KERNEL(Kernel("Slice").OnCpu(), SliceOp);
REGISTER_KERNEL(Kernel("Slice").OnGpu().HostMemory("begin").HostMemory("size"), SliceOp);

}  // namespace
}  // namespace tfbuild
