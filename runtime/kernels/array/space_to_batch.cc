// SpaceToBatchND, BatchToSpaceND, and SpaceToBatch and BatchToSpace for blocks of images.
#include <algorithm>
#include <functional>
#include <optional>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// How blocks of elements become elements of the batch: sizes of a block along the directions behind
// the batch, and what is put on (or taken off) before and behind each.
struct Blocks {
  std::vector<int64_t> sizes;
  std::vector<int64_t> before, behind;

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t size : sizes) product *= size;
    return product;
  }
};

constexpr int64_t kLargestBlock = int64_t{1} << 31;

Status CheckBlocks(const Blocks& blocks, const char* what) {
  int64_t product = 1;
  for (size_t k = 0; k < blocks.sizes.size(); ++k) {
    if (blocks.sizes[k] < 1 || blocks.sizes[k] > kLargestBlock / product) {
      return InvalidArgument("All values in block_shape must be positive, and their product below "
                             "2^31, got value ", blocks.sizes[k], " at index ", k, ".");
    }
    product *= blocks.sizes[k];
    if (blocks.before[k] < 0 || blocks.behind[k] < 0) {
      return InvalidArgument(what, " must be non-negative");
    }
    if (blocks.before[k] > kMaxElements || blocks.behind[k] > kMaxElements) {
      return InvalidArgument(what, " are too large");
    }
  }
  return OkStatus();
}

// `flat` are the paddings or crops, two for each direction.
Result<Blocks> MakeBlocks(std::vector<int64_t> sizes, const std::vector<int64_t>& flat,
                          const char* what) {
  if (flat.size() != 2 * sizes.size()) {
    return InvalidArgument(what, " should have shape [", sizes.size(), ", 2], but has ",
                           flat.size(), " elements");
  }
  Blocks blocks{std::move(sizes), {}, {}};
  for (size_t k = 0; k < flat.size(); k += 2) {
    blocks.before.push_back(flat[k]);
    blocks.behind.push_back(flat[k + 1]);
  }
  RETURN_IF_ERROR(CheckBlocks(blocks, what));
  return blocks;
}

// The dimensions after blocks of space became batch; any may be unknown.
Result<std::vector<int64_t>> ToBatchDims(std::vector<int64_t> dims, const Blocks& blocks) {
  if (dims[0] != kUnknownDim) dims[0] *= blocks.elements();
  for (size_t k = 0; k < blocks.sizes.size(); ++k) {
    int64_t& dim = dims[k + 1];
    if (dim == kUnknownDim) continue;
    const int64_t padded = dim + blocks.before[k] + blocks.behind[k];
    if (padded % blocks.sizes[k] != 0) {
      return InvalidArgument("padded_shape[", k, "]=", padded, " is not divisible by block_shape[",
                             k, "]=", blocks.sizes[k]);
    }
    dim = padded / blocks.sizes[k];
  }
  return dims;
}

Result<std::vector<int64_t>> ToSpaceDims(std::vector<int64_t> dims, const Blocks& blocks) {
  if (dims[0] != kUnknownDim) {
    if (dims[0] % blocks.elements() != 0) {
      return InvalidArgument("Input batch dimension (", dims[0],
                             ") is not divisible by product of block sizes (", blocks.elements(),
                             ")");
    }
    dims[0] /= blocks.elements();
  }
  for (size_t k = 0; k < blocks.sizes.size(); ++k) {
    int64_t& dim = dims[k + 1];
    if (dim == kUnknownDim) continue;
    if (dim > kMaxElements / blocks.sizes[k]) return InvalidArgument("the result is too large");
    dim = dim * blocks.sizes[k] - blocks.before[k] - blocks.behind[k];
    if (dim < 0) {
      return InvalidArgument("crops[", k, "] = (", blocks.before[k], ", ", blocks.behind[k],
                             ") leave a negative size: ", dim);
    }
  }
  return dims;
}

Result<std::vector<int64_t>> Flat(const Tensor& matrix) {
  ASSIGN_OR_RETURN(const Tensor flat, matrix.Reshaped(Shape{matrix.num_elements()}));
  return flat.IntValues();
}

using DimsOf = Result<std::vector<int64_t>> (*)(std::vector<int64_t>, const Blocks&);

// Where the borders are not known, so are the sizes in space; the batch and what lies behind the
// `count` directions stay.
Status ShapeOfBlocks(ShapeContext* context, const std::optional<std::vector<int64_t>>& sizes,
                     int64_t count, int borders, const char* what, DimsOf dims_of) {
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  if (count == kUnknownDim) {
    context->set_output(0, PartialShape::UnknownOfRank(input.rank()));
    return OkStatus();
  }
  RETURN_IF_ERROR(context->WithRankAtLeast(0, static_cast<int>(count) + 1));
  std::vector<int64_t> dims = input.dims();
  const Tensor* known = context->input_tensor(borders);
  std::vector<int64_t> flat(2 * static_cast<size_t>(count), 0);
  if (sizes && known != nullptr) {
    ASSIGN_OR_RETURN(flat, Flat(*known));
  } else {
    std::fill_n(dims.begin() + 1, count, kUnknownDim);
  }
  if (sizes) {
    ASSIGN_OR_RETURN(const Blocks blocks, MakeBlocks(*sizes, flat, what));
    ASSIGN_OR_RETURN(dims, dims_of(std::move(dims), blocks));
  } else {
    dims[0] = kUnknownDim;
  }
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status ShapeOfNd(ShapeContext* context, const char* what, DimsOf dims_of) {
  ASSIGN_OR_RETURN(const PartialShape block, context->WithRank(1, 1));
  RETURN_IF_ERROR(context->WithRank(2, 2).status());
  if (block.dim(0) != kUnknownDim) {
    RETURN_IF_ERROR(context->WithRankAtLeast(0, static_cast<int>(block.dim(0)) + 1));
  }
  ASSIGN_OR_RETURN(const auto sizes, KnownInts(*context, 1));
  const int64_t count = sizes ? static_cast<int64_t>(sizes->size()) : block.dim(0);
  return ShapeOfBlocks(context, sizes, count, 2, what, dims_of);
}

Status ShapeOfImages(ShapeContext* context, const char* what, DimsOf dims_of) {
  RETURN_IF_ERROR(context->WithRank(0, 4).status());
  RETURN_IF_ERROR(context->WithRank(1, 2).status());
  ASSIGN_OR_RETURN(const int64_t size, context->Attr<int64_t>("block_size"));
  return ShapeOfBlocks(context, std::vector<int64_t>{size, size}, 2, 1, what, dims_of);
}

Status SpaceToBatchNdShape(ShapeContext* context) {
  return ShapeOfNd(context, "paddings", ToBatchDims);
}
Status BatchToSpaceNdShape(ShapeContext* context) {
  return ShapeOfNd(context, "crops", ToSpaceDims);
}
Status SpaceToBatchShape(ShapeContext* context) {
  return ShapeOfImages(context, "paddings", ToBatchDims);
}
Status BatchToSpaceShape(ShapeContext* context) {
  return ShapeOfImages(context, "crops", ToSpaceDims);
}

REGISTER_OP("SpaceToBatchND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .ShapeFunction(SpaceToBatchNdShape);
REGISTER_OP("BatchToSpaceND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("crops: Tcrops")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tcrops: {int32, int64} = DT_INT32")
    .ShapeFunction(BatchToSpaceNdShape);
REGISTER_OP("SpaceToBatch")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("block_size: int >= 2")
    .ShapeFunction(SpaceToBatchShape);
REGISTER_OP("BatchToSpace")
    .Input("input: T")
    .Input("crops: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(BatchToSpaceShape);

// Calls body for each place within a block, counted as the batch is.
Status ForEachPlace(const Blocks& blocks,
                    const std::function<Status(int64_t, const std::vector<int64_t>&)>& body) {
  std::vector<int64_t> place(blocks.sizes.size(), 0);
  for (int64_t i = 0; i < blocks.elements(); ++i) {
    int64_t rest = i;
    for (size_t k = place.size(); k-- > 0;) {
      place[k] = rest % blocks.sizes[k];
      rest /= blocks.sizes[k];
    }
    RETURN_IF_ERROR(body(i, place));
  }
  return OkStatus();
}

// Copies between a tensor in space and one with its blocks in the batch.
Status MoveBlocks(OpKernelContext* context, const Blocks& blocks, bool to_batch,
                  const Tensor& from, Tensor* to) {
  const Shape& space = to_batch ? from.shape() : to->shape();
  const Shape& batch = to_batch ? to->shape() : from.shape();
  if (space.num_elements() == 0) return OkStatus();
  const std::vector<int64_t> in_space = DenseStrides(space.dims());
  const std::vector<int64_t> in_batch = DenseStrides(batch.dims());
  const size_t directions = blocks.sizes.size();
  int64_t inner = 1;
  for (size_t k = directions + 1; k < space.dims().size(); ++k) inner *= space.dims()[k];
  return ForEachPlace(blocks, [&](int64_t number, const std::vector<int64_t>& place) {
    StridedCopy copy;
    int64_t at_space = 0, at_batch = number * space.dim(0) * in_batch[0];
    copy.AddDim(space.dim(0), in_space[0], in_batch[0]);
    for (size_t k = 0; k < directions; ++k) {
      // Element j of the batch's tensor is element j * size + place - before of space.
      const int64_t size = blocks.sizes[k], start = place[k] - blocks.before[k];
      const int64_t first = start >= 0 ? 0 : (-start + size - 1) / size;
      const int64_t space_dim = space.dims()[k + 1];
      const int64_t last = space_dim - start <= 0 ? 0 : (space_dim - start + size - 1) / size;
      const int64_t count = std::min(last, batch.dims()[k + 1]) - first;
      if (count <= 0) return OkStatus();
      at_space += (first * size + start) * in_space[k + 1];
      at_batch += first * in_batch[k + 1];
      copy.AddDim(count, size * in_space[k + 1], in_batch[k + 1]);
    }
    copy.AddDim(inner, 1, 1);
    copy.from = at_space;
    copy.to = at_batch;
    if (!to_batch) {
      std::swap(copy.from, copy.to);
      std::swap(copy.from_strides, copy.to_strides);
    }
    return RunStridedCopy(context, copy, from, to);
  });
}

template <bool kToBatch>
class MoveBlocksOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if (construction.node.op().inputs.size() == 3) return OkStatus();
    ASSIGN_OR_RETURN(block_size_, construction.Attr<int64_t>("block_size"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const Blocks blocks, BlocksOf(*context));
    if (static_cast<size_t>(input.rank()) < blocks.sizes.size() + 1) {
      return InvalidArgument("input rank should be >= ", blocks.sizes.size() + 1, " instead of ",
                             input.rank());
    }
    ASSIGN_OR_RETURN(std::vector<int64_t> dims,
                     kToBatch ? ToBatchDims(input.shape().dims(), blocks)
                              : ToSpaceDims(input.shape().dims(), blocks));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    if (kToBatch) RETURN_IF_ERROR(RunZero(context, output));
    return MoveBlocks(context, blocks, kToBatch, input, output);
  }

 private:
  Result<Blocks> BlocksOf(const OpKernelContext& context) const {
    const char* what = kToBatch ? "paddings" : "crops";
    std::vector<int64_t> sizes{block_size_, block_size_};
    if (context.num_inputs() == 3) {
      ASSIGN_OR_RETURN(sizes, VectorFrom(context.input(1), "block_shape"));
    } else if (context.input(0).rank() != 4) {
      return InvalidArgument("Input rank should be: 4 instead of: ", context.input(0).rank());
    }
    const Tensor& borders = context.input(context.num_inputs() - 1);
    if (borders.rank() != 2 || borders.dim(1) != 2) {
      return InvalidArgument(what, " should have shape [", sizes.size(), ", 2] instead of ",
                             borders.shape());
    }
    ASSIGN_OR_RETURN(const std::vector<int64_t> flat, Flat(borders));
    return MakeBlocks(std::move(sizes), flat, what);
  }

  int64_t block_size_ = 0;
};

#define REGISTER(op, to_batch)                                                          \
  REGISTER_KERNEL(Kernel(op).OnCpu(), MoveBlocksOp<to_batch>);                          \
  REGISTER_KERNEL(Kernel(op).OnGpu().HostMemory("block_shape").HostMemory("paddings")   \
                      .HostMemory("crops"), MoveBlocksOp<to_batch>);
REGISTER("SpaceToBatchND", true)
REGISTER("BatchToSpaceND", false)
REGISTER("SpaceToBatch", true)
REGISTER("BatchToSpace", false)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
