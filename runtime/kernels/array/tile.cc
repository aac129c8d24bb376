// Tile: a tensor repeated along each of its dimensions.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// Each dimension times its multiple. While a graph is built, both may be unknown.
Result<std::vector<int64_t>> TiledDims(const std::vector<int64_t>& dims,
                                       const std::vector<int64_t>& multiples,
                                       bool while_built) {
  if (multiples.size() != dims.size()) {
    return InvalidArgument("Expected multiples of length ", dims.size(), ", but got length ",
                           multiples.size());
  }
  std::vector<int64_t> tiled = dims;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (multiples[k] == kUnknownDim && while_built) {
      tiled[k] = kUnknownDim;
      continue;
    }
    if (multiples[k] < 0) {
      return InvalidArgument("Expected multiples[", k, "] >= 0, but got ", multiples[k]);
    }
    if (dims[k] > 0 && multiples[k] > kMaxElements / dims[k]) {
      return InvalidArgument("multiples[", k, "] = ", multiples[k], " makes too many elements");
    }
    if (dims[k] != kUnknownDim) tiled[k] *= multiples[k];
  }
  return tiled;
}

Status TileShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  ASSIGN_OR_RETURN(const PartialShape multiples, context->input_as_shape(1));
  if (!input.known_rank()) {
    if (multiples.known_rank()) context->set_output(0, PartialShape::UnknownOfRank(multiples.rank()));
    return OkStatus();
  }
  PartialShape output = PartialShape::UnknownOfRank(input.rank());
  if (multiples.known_rank()) {
    ASSIGN_OR_RETURN(output, TiledDims(input.dims(), multiples.dims(), true));
  }
  context->set_output(0, std::move(output));
  return OkStatus();
}

REGISTER_OP("Tile")
    .Input("input: T")
    .Input("multiples: Tmultiples")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tmultiples: {int32, int64} = DT_INT32")
    .ShapeFunction(TileShape);

class TileOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const std::vector<int64_t>& dims = input.shape().dims();
    ASSIGN_OR_RETURN(const std::vector<int64_t> multiples,
                     VectorFrom(context->input(1), "multiples"));
    ASSIGN_OR_RETURN(std::vector<int64_t> tiled, TiledDims(dims, multiples, false));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(tiled)));
    if (shape == input.shape()) {
      context->SetOutput(0, input);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const std::vector<int64_t> from_strides = DenseStrides(dims);
    const std::vector<int64_t> to_strides = DenseStrides(shape.dims());
    StridedCopy copy;
    for (size_t k = 0; k < dims.size(); ++k) {
      copy.AddDim(multiples[k], 0, dims[k] * to_strides[k]);
      copy.AddDim(dims[k], from_strides[k], to_strides[k]);
    }
    return RunStridedCopy(context, copy, input, output);
  }
};

REGISTER_KERNEL(Kernel("Tile").OnCpu(), TileOp);
REGISTER_KERNEL(Kernel("Tile").OnGpu().HostMemory("multiples"), TileOp);

}  // namespace
}  // namespace tfbuild
