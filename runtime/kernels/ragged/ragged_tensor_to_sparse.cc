// RaggedTensorToSparse: where each value of a ragged tensor stands.
#include <utility>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/ragged/row_splits.h"

namespace tfbuild {
namespace {

Status SparseShape(ShapeContext* context) {
  const PartialShape& values = context->input(context->num_inputs() - 1);
  int64_t rank = kUnknownDim, count = kUnknownDim;
  if (values.known_rank()) {
    if (values.rank() == 0) return InvalidArgument("rt_dense_values must have one dimension at least");
    rank = values.rank() + context->num_inputs() - 1;
    count = 1;
    for (const int64_t size : values.dims()) {
      if (size == kUnknownDim || count == kUnknownDim) count = kUnknownDim;
      else if (__builtin_mul_overflow(count, size, &count)) count = kUnknownDim;
    }
  }
  context->set_output(0, PartialShape({count, rank}));
  context->set_output(1, PartialShape({count}));
  context->set_output(2, PartialShape({rank}));
  return OkStatus();
}

REGISTER_OP("RaggedTensorToSparse")
    .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
    .Input("rt_dense_values: T")
    .Output("sparse_indices: int64")
    .Output("sparse_values: T")
    .Output("sparse_dense_shape: int64")
    .Attr("RAGGED_RANK: int >= 1")
    .Attr("T: type")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .ShapeFunction(SparseShape);

class RaggedTensorToSparseOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const int levels = context->num_inputs() - 1;
    const Tensor& values = context->input(levels);
    if (values.rank() == 0) {
      return InvalidArgument("rt_dense_values must have one dimension at least");
    }
    ASSIGN_OR_RETURN(const std::vector<RowSplits> nested,
                     NestedSplitsFrom(*context, 0, levels, values.dim(0)));
    const int64_t rank = levels + values.rank();
    const int64_t count = values.num_elements();
    ASSIGN_OR_RETURN(const Shape all, Shape::Make({count, rank}));
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(0, all));
    ASSIGN_OR_RETURN(Tensor * shape, context->AllocateOutput(2, Shape{rank}));
    ASSIGN_OR_RETURN(Tensor flat, values.Reshaped(Shape{count}));
    context->SetOutput(1, std::move(flat));
    PutShape(nested, values.shape(), shape->mutable_data<int64_t>());
    PutIndices(nested, values.shape(), indices->mutable_data<int64_t>());
    return OkStatus();
  }

 private:
  static void PutShape(const std::vector<RowSplits>& nested, const Shape& values, int64_t* sizes) {
    *sizes++ = static_cast<int64_t>(nested[0].size()) - 1;
    for (const RowSplits& splits : nested) *sizes++ = LongestRow(splits);
    for (int i = 1; i < values.rank(); ++i) *sizes++ = values.dim(i);
  }

  static void PutIndices(const std::vector<RowSplits>& nested, const Shape& values, int64_t* to) {
    const size_t levels = nested.size();
    const int inner = values.rank() - 1;
    const int64_t rows = values.dim(0);
    const int64_t width = rows == 0 ? 0 : values.num_elements() / rows;
    std::vector<size_t> row(levels, 0);  // of each level the row where the value is
    StopLook look;
    for (int64_t value = 0; value < rows && width > 0; ++value) {
      look.Turns(1 + width * values.rank());
      int64_t at = value;
      std::vector<int64_t> place(levels + 1);
      for (size_t level = levels; level-- > 0;) {
        while (nested[level][row[level] + 1] <= at) ++row[level];
        place[level + 1] = at - nested[level][row[level]];
        at = static_cast<int64_t>(row[level]);
      }
      place[0] = at;
      for (int64_t k = 0; k < width; ++k) {
        for (const int64_t number : place) *to++ = number;
        int64_t rest = k;
        for (int axis = inner; axis > 0; --axis) {
          to[axis - 1] = rest % values.dim(axis);
          rest /= values.dim(axis);
        }
        to += inner;
      }
    }
  }
};

REGISTER_KERNEL(Kernel("RaggedTensorToSparse").OnCpu(), RaggedTensorToSparseOp);

}  // namespace
}  // namespace tfbuild
