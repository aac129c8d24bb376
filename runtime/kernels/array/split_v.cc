// SplitV: pieces of given sizes along an axis, of which one may be -1 for what is left.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// The size of one piece, as far as the size of the whole is known; sizes that cannot be right for
// any whole, or for this one, are an error.
Result<int64_t> SizeOfPiece(const std::vector<int64_t>& sizes, int piece, int64_t whole) {
  int64_t sum = 0;
  bool open = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < -1 || sizes[i] > kMaxElements || (open && sizes[i] == -1)) {
      return InvalidArgument("size_splits must be sizes, of which one may be -1; size_splits[", i,
                             "] is ", sizes[i]);
    }
    if (sizes[i] == -1) open = true;
    else sum += sizes[i];
  }
  if (whole != kUnknownDim && (open ? sum > whole : sum != whole)) {
    return InvalidArgument("cannot split a dimension of ", whole, " into pieces of sizes [",
                           StrJoin(sizes, ","), "]");
  }
  const int64_t size = sizes[static_cast<size_t>(piece)];
  if (size != -1) return size;
  return whole == kUnknownDim ? kUnknownDim : whole - sum;
}

Status SplitVShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  RETURN_IF_ERROR(context->WithRank(2, 0).status());
  const PartialShape& value = context->input(0);
  PartialShape output;
  if (value.known_rank()) output = PartialShape::UnknownOfRank(value.rank());
  ASSIGN_OR_RETURN(const auto given, KnownScalar(*context, 2));
  ASSIGN_OR_RETURN(const auto sizes, KnownInts(*context, 1));
  const bool known = value.known_rank() && given && sizes &&
                     sizes->size() == static_cast<size_t>(context->num_outputs());
  for (int i = 0; i < context->num_outputs(); ++i) {
    if (known) {
      ASSIGN_OR_RETURN(const int axis, CanonicalAxis(*given, value.rank()));
      std::vector<int64_t> dims = value.dims();
      int64_t& dim = dims[static_cast<size_t>(axis)];
      ASSIGN_OR_RETURN(dim, SizeOfPiece(*sizes, i, dim));
      output = PartialShape(std::move(dims));
    }
    context->set_output(i, output);
  }
  return OkStatus();
}

REGISTER_OP("SplitV")
    .Input("value: T")
    .Input("size_splits: Tlen")
    .Input("split_dim: int32")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Attr("Tlen: {int8, int32, int64} = DT_INT64")
    .ShapeFunction(SplitVShape);

// The sizes with the one that is -1 filled in, when together they are `whole`.
Result<std::vector<int64_t>> PieceSizes(std::vector<int64_t> sizes, int pieces, int64_t whole) {
  if (sizes.size() != static_cast<size_t>(pieces)) {
    return InvalidArgument("size_splits has ", sizes.size(), " elements for ", pieces, " outputs");
  }
  int64_t sum = 0;
  int64_t* open = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && open == nullptr) {
      open = &size;
    } else if (size < 0 || size > whole - sum) {
      return InvalidArgument("size_splits must be sizes, of which one may be -1, with a sum of ",
                             whole, "; found ", size);
    } else {
      sum += size;
    }
  }
  if (open != nullptr) *open = whole - sum;
  if (open == nullptr && sum != whole) {
    return InvalidArgument("size_splits have a sum of ", sum, ", but the dimension is ", whole);
  }
  return sizes;
}

class SplitVOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(0);
    ASSIGN_OR_RETURN(const int axis, AxisFrom(context->input(2), value.rank()));
    ASSIGN_OR_RETURN(std::vector<int64_t> given, VectorFrom(context->input(1), "size_splits"));
    ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                     PieceSizes(std::move(given), context->num_outputs(), value.dim(axis)));
    const int64_t stride = DenseStrides(value.shape().dims())[static_cast<size_t>(axis)];
    int64_t start = 0;
    for (int i = 0; i < context->num_outputs(); ++i) {
      std::vector<int64_t> dims = value.shape().dims();
      const int64_t size = sizes[static_cast<size_t>(i)];
      dims[static_cast<size_t>(axis)] = size;
      ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i, shape));
      if (shape.num_elements() > 0) {
        StridedCopy copy;
        copy.AddDim(shape.num_elements() / (size * stride), value.dim(axis) * stride,
                    size * stride);
        copy.AddDim(size * stride, 1, 1);
        copy.from = start * stride;
        RETURN_IF_ERROR(RunStridedCopy(context, copy, value, output));
      }
      start += size;
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("SplitV").OnCpu(), SplitVOp);
REGISTER_KERNEL(Kernel("SplitV").OnGpu().HostMemory("size_splits").HostMemory("split_dim"),
                SplitVOp);

}  // namespace
}  // namespace tfbuild
