// DepthToSpace and SpaceToDepth: channels as blocks of pixels, and back.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// The images at both ends: [batch, rows * size, cols * size, depth] in space, and [batch, rows,
// cols, size * size * depth] in depth; channels second where they come first.
struct BlockedImages {
  static constexpr int64_t kLargestBlock = 1 << 20;  // its square is a number yet
  int64_t size = 2;
  bool channels_first = false;

  template <typename Source>
  static Result<BlockedImages> Read(const Source& source) {
    BlockedImages read;
    ASSIGN_OR_RETURN(read.size, source.template Attr<int64_t>("block_size"));
    if (read.size > kLargestBlock) return InvalidArgument("block_size ", read.size, " is too large");
    ASSIGN_OR_RETURN(const std::string format, source.template Attr<std::string>("data_format"));
    if (format == "NCHW_VECT_C") {
      return Unimplemented("data_format NCHW_VECT_C is for GPUs only; NHWC and NCHW are there");
    }
    read.channels_first = format == "NCHW";
    return read;
  }
  size_t rows() const { return channels_first ? 2 : 1; }
  size_t channels() const { return channels_first ? 1 : 3; }

  // The dimensions in the other form; any may be unknown.
  Result<std::vector<int64_t>> Turned(std::vector<int64_t> dims, bool to_depth) const {
    for (const size_t k : {rows(), rows() + 1, channels()}) {
      const bool grows = to_depth == (k == channels());
      const int64_t factor = k == channels() ? size * size : size;
      if (dims[k] == kUnknownDim) continue;
      if (grows) {
        if (dims[k] > kMaxElements / factor) return InvalidArgument("the result is too large");
        dims[k] *= factor;
      } else if (dims[k] % factor != 0) {
        return InvalidArgument("dimension ", k, " of size ", dims[k], " should be divisible by ",
                               k == channels() ? "the square of block_size " : "block_size ", size);
      } else {
        dims[k] /= factor;
      }
    }
    return dims;
  }
};

Status TurnedShape(ShapeContext* context, bool to_depth) {
  ASSIGN_OR_RETURN(const BlockedImages images, BlockedImages::Read(*context));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, images.Turned(input.dims(), to_depth));
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}
Status SpaceToDepthShape(ShapeContext* context) { return TurnedShape(context, true); }
Status DepthToSpaceShape(ShapeContext* context) { return TurnedShape(context, false); }

REGISTER_OP("SpaceToDepth")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .ShapeFunction(SpaceToDepthShape);
REGISTER_OP("DepthToSpace")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .ShapeFunction(DepthToSpaceShape);

template <bool kToDepth>
class TurnOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(images_, BlockedImages::Read(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    if (input.rank() != 4) {
      return InvalidArgument("Input rank should be 4 instead of ", input.rank());
    }
    ASSIGN_OR_RETURN(std::vector<int64_t> dims, images_.Turned(input.shape().dims(), kToDepth));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    return RunStridedCopy(context, PlanOf(kToDepth ? input.shape() : shape,
                                          kToDepth ? shape : input.shape()), input, output);
  }

 private:
  // Dimensions: batch, row and column of a block, place in the block, and channel.
  StridedCopy PlanOf(const Shape& space, const Shape& depth) const {
    const std::vector<int64_t> in_space = DenseStrides(space.dims());
    const std::vector<int64_t> in_depth = DenseStrides(depth.dims());
    const size_t rows = images_.rows(), cols = rows + 1, channels = images_.channels();
    const int64_t size = images_.size, count = space.dims()[channels];
    const int64_t place = count * in_depth[channels];
    StridedCopy copy;
    copy.AddDim(space.dims()[0], in_space[0], in_depth[0]);
    copy.AddDim(depth.dims()[rows], size * in_space[rows], in_depth[rows]);
    copy.AddDim(depth.dims()[cols], size * in_space[cols], in_depth[cols]);
    copy.AddDim(size, in_space[rows], size * place);
    copy.AddDim(size, in_space[cols], place);
    copy.AddDim(count, in_space[channels], in_depth[channels]);
    if (!kToDepth) std::swap(copy.from_strides, copy.to_strides);
    return copy;
  }

  BlockedImages images_;
};

REGISTER_KERNEL(Kernel("SpaceToDepth").OnCpu(), TurnOp<true>);
REGISTER_KERNEL(Kernel("SpaceToDepth").OnGpu(), TurnOp<true>);
REGISTER_KERNEL(Kernel("DepthToSpace").OnCpu(), TurnOp<false>);
REGISTER_KERNEL(Kernel("DepthToSpace").OnGpu(), TurnOp<false>);

}  // namespace
}  // namespace tfbuild
