// ReverseSequence: the first elements of each example of a batch in reverse order, the others as
// they are.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

struct SequenceAxes {
  int64_t sequence = 0;
  int64_t batch = 0;

  template <typename Source>
  static Result<SequenceAxes> From(const Source& source) {
    SequenceAxes axes;
    ASSIGN_OR_RETURN(axes.sequence, source.template Attr<int64_t>("seq_dim"));
    ASSIGN_OR_RETURN(axes.batch, source.template Attr<int64_t>("batch_dim"));
    if (axes.sequence >= 0 && axes.batch >= 0 && axes.sequence != axes.batch) return axes;
    return InvalidArgument("seq_dim ", axes.sequence, " and batch_dim ", axes.batch,
                           " must be two axes, and not negative");
  }

  Status CheckRank(int rank) const {
    if (sequence < rank && batch < rank) return OkStatus();
    return InvalidArgument(sequence < rank ? "batch_dim" : "seq_dim", " must be < input rank: ",
                           sequence < rank ? batch : sequence, " vs. ", rank);
  }
};

Status ReverseSequenceShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const SequenceAxes axes, SequenceAxes::From(*context));
  ASSIGN_OR_RETURN(const PartialShape lengths, context->WithRank(1, 1));
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return UnchangedShape(context);
  RETURN_IF_ERROR(axes.CheckRank(input.rank()));
  std::vector<int64_t> dims = input.dims();
  int64_t& batch = dims[static_cast<size_t>(axes.batch)];
  const int64_t count = lengths.dim(0);
  if (batch == kUnknownDim) batch = count;
  if (count != kUnknownDim && count != batch) {
    return InvalidArgument("seq_lengths has ", count, " elements, input ", batch, " examples");
  }
  context->set_output(0, PartialShape(dims));
  return OkStatus();
}

REGISTER_OP("ReverseSequence")
    .Input("input: T")
    .Input("seq_lengths: Tlen")
    .Output("output: T")
    .Attr("seq_dim: int")
    .Attr("batch_dim: int = 0")
    .Attr("T: type")
    .Attr("Tlen: {int32, int64} = DT_INT64")
    .ShapeFunction(ReverseSequenceShape);

class ReverseSequenceOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(axes_, SequenceAxes::From(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    RETURN_IF_ERROR(axes_.CheckRank(input.rank()));
    ASSIGN_OR_RETURN(const std::vector<int64_t> lengths,
                     VectorFrom(context->input(1), "seq_lengths"));
    RETURN_IF_ERROR(CheckLengths(input.shape(), lengths));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    for (size_t begin = 0, end = 0; begin < lengths.size(); begin = end) {
      while (end < lengths.size() && lengths[end] == lengths[begin]) ++end;
      const auto first = static_cast<int64_t>(begin), last = static_cast<int64_t>(end);
      RETURN_IF_ERROR(Reverse(context, first, last - first, lengths[begin], output));
    }
    return OkStatus();
  }

 private:
  Status CheckLengths(const Shape& shape, const std::vector<int64_t>& lengths) const {
    const int64_t batch = shape.dim(static_cast<int>(axes_.batch));
    const int64_t most = shape.dim(static_cast<int>(axes_.sequence));
    if (static_cast<int64_t>(lengths.size()) != batch) {
      return InvalidArgument("len(seq_lens) != input.dims(", axes_.batch, "), (", lengths.size(),
                             " vs. ", batch, ")");
    }
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] < 0) return InvalidArgument("seq_lens(", i, ") < 0: ", lengths[i]);
      if (lengths[i] > most) {
        return InvalidArgument("seq_lens(", i, ") > input.dims(", axes_.sequence, "): ",
                               lengths[i], " vs. ", most);
      }
    }
    return OkStatus();
  }

  // Examples that follow each other and have one length: two copies, of what is reversed and of the
  // rest.
  Status Reverse(OpKernelContext* context, int64_t first, int64_t count, int64_t length,
                 Tensor* output) const {
    const Tensor& input = context->input(0);
    const auto sequence = static_cast<size_t>(axes_.sequence);
    const auto batch = static_cast<size_t>(axes_.batch);
    StridedCopy reversed;
    reversed.dims = input.shape().dims();
    reversed.from_strides = reversed.to_strides = DenseStrides(reversed.dims);
    reversed.dims[batch] = count;
    reversed.from = reversed.to = first * reversed.to_strides[batch];
    StridedCopy rest = reversed;
    const int64_t step = reversed.to_strides[sequence];
    if (length > 0) {
      reversed.dims[sequence] = length;
      reversed.from_strides[sequence] = -step;
      reversed.from += (length - 1) * step;
      RETURN_IF_ERROR(RunStridedCopy(context, reversed, input, output));
    }
    if (length == rest.dims[sequence]) return OkStatus();
    rest.dims[sequence] -= length;
    rest.from += length * step;
    rest.to += length * step;
    return RunStridedCopy(context, rest, input, output);
  }

  SequenceAxes axes_;
};

REGISTER_KERNEL(Kernel("ReverseSequence").OnCpu(), ReverseSequenceOp);
REGISTER_KERNEL(Kernel("ReverseSequence").OnGpu().HostMemory("seq_lengths"), ReverseSequenceOp);

}  // namespace
}  // namespace tfbuild
