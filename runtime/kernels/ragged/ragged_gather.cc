// RaggedGather: rows of a ragged tensor in the order of indices.
#include <limits>
#include <utility>

#include "base/stop_look.h"
#include "kernels/framework/element_moves.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/ragged/row_splits.h"

namespace tfbuild {
namespace {

Status CheckRank(int64_t output, int64_t params, int64_t indices) {
  if (output == params + indices - 1) return OkStatus();
  return InvalidArgument("OUTPUT_RAGGED_RANK is ", output, " where indices of rank ", indices,
                         " and params of ragged rank ", params, " make ", params + indices - 1);
}

Status RowsShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t params, context->Attr<int64_t>("PARAMS_RAGGED_RANK"));
  ASSIGN_OR_RETURN(const int64_t output, context->Attr<int64_t>("OUTPUT_RAGGED_RANK"));
  const PartialShape& indices = context->input(static_cast<int>(params) + 1);
  const PartialShape& values = context->input(static_cast<int>(params));
  if (indices.known_rank()) RETURN_IF_ERROR(CheckRank(output, params, indices.rank()));
  for (int i = 0; i < static_cast<int>(output); ++i) {
    context->set_output(i, PartialShape({kUnknownDim}));
  }
  if (!values.known_rank()) return OkStatus();
  if (values.rank() == 0) return InvalidArgument("params must have one dimension at least");
  std::vector<int64_t> dims = values.dims();
  dims[0] = kUnknownDim;
  context->set_output(static_cast<int>(output), PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("RaggedGather")
    .Input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits")
    .Input("params_dense_values: Tvalues")
    .Input("indices: Tindices")
    .Output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits")
    .Output("output_dense_values: Tvalues")
    .Attr("Tvalues: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Attr("PARAMS_RAGGED_RANK: int >= 1")
    .Attr("OUTPUT_RAGGED_RANK: int >= 0")
    .ShapeFunction(RowsShape);

class RaggedGatherOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const int levels = context->num_inputs() - 2;
    const int splits = context->num_outputs() - 1;
    const Tensor &values = context->input(levels), &indices = context->input(levels + 1);
    if (values.rank() == 0) return InvalidArgument("params must have one dimension at least");
    RETURN_IF_ERROR(CheckRank(splits, levels, indices.rank()));
    ASSIGN_OR_RETURN(const std::vector<RowSplits> nested,
                     NestedSplitsFrom(*context, 0, levels, values.dim(0)));
    ASSIGN_OR_RETURN(const Tensor flat, indices.Reshaped(Shape{indices.num_elements()}));
    ASSIGN_OR_RETURN(const std::vector<int64_t> rows, VectorFrom(flat, "indices"));
    const int64_t limit = static_cast<int64_t>(nested[0].size()) - 1;
    std::vector<Rows> taken;
    StopLook look;
    for (size_t i = 0; i < rows.size(); ++i) {
      look.Turn();
      if (rows[i] < 0 || rows[i] >= limit) {
        return InvalidArgument("indices[", i, "] = ", rows[i], " is not in [0, ", limit, ")");
      }
      taken.push_back({rows[i], rows[i] + 1});
    }
    // The dimensions of the indices but the last one have rows of one length.
    for (int axis = 0; axis + 1 < indices.rank(); ++axis) {
      RETURN_IF_ERROR(PutEvenSplits(context, axis, indices.shape(), taken));
    }
    for (int level = 0; level < levels; ++level) {
      RETURN_IF_ERROR(PutRows(context, nested[static_cast<size_t>(level)], indices.rank() - 1 + level,
                              &taken));
    }
    return PutValues(context, values, taken, splits);
  }

 private:
  // Neighbours from `begin` on, `end` excluded: of neighbours the values are neighbours, too.
  struct Rows {
    int64_t begin, end;
  };

  static Result<int64_t> CountAll(const std::vector<Rows>& taken, const Tensor* splits = nullptr) {
    const bool is_small = splits != nullptr && splits->dtype() == DType::kInt32;
    const int64_t most = is_small ? std::numeric_limits<int32_t>::max() : kMaxElements;
    int64_t total = 0;
    for (const Rows& rows : taken) {
      total += rows.end - rows.begin;
      if (total > most) return InvalidArgument("more than ", most, " values are gathered");
    }
    return total;
  }

  static Status PutEvenSplits(OpKernelContext* context, int axis, const Shape& indices,
                              const std::vector<Rows>& taken) {
    int64_t rows = 1;
    for (int k = 0; k <= axis; ++k) rows *= indices.dim(k);
    ASSIGN_OR_RETURN(Tensor * splits, context->AllocateOutput(axis, Shape{rows + 1}));
    RETURN_IF_ERROR(CountAll(taken, splits).status());
    for (int64_t i = 0; i <= rows; ++i) PutSplit(splits, i, i * indices.dim(axis + 1));
    return OkStatus();
  }

  // Sets an output to the splits of the rows that are taken, and those to their values. The one row that a
  // scalar takes has no splits: it is the outermost dimension itself.
  static Status PutRows(OpKernelContext* context, const RowSplits& from, int output,
                        std::vector<Rows>* taken) {
    Tensor* splits = nullptr;
    int64_t at = 0, end = 0;
    if (output >= 0) {
      ASSIGN_OR_RETURN(const int64_t count, CountAll(*taken));
      ASSIGN_OR_RETURN(splits, context->AllocateOutput(output, Shape{count + 1}));
      PutSplit(splits, at++, 0);
    }
    std::vector<Rows> values;
    for (const Rows& rows : *taken) {
      values.push_back({from[static_cast<size_t>(rows.begin)], from[static_cast<size_t>(rows.end)]});
    }
    RETURN_IF_ERROR(CountAll(values, splits).status());
    StopLook look;
    for (const Rows& rows : *taken) {
      for (int64_t row = rows.begin; row < rows.end && splits != nullptr; ++row) {
        look.Turn();
        end += from[static_cast<size_t>(row) + 1] - from[static_cast<size_t>(row)];
        PutSplit(splits, at++, end);
      }
    }
    *taken = std::move(values);
    return OkStatus();
  }

  static Status PutValues(OpKernelContext* context, const Tensor& values, const std::vector<Rows>& taken,
                          int output) {
    std::vector<int64_t> dims = values.shape().dims();
    ASSIGN_OR_RETURN(dims[0], CountAll(taken));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * put, context->AllocateOutput(output, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t width = values.num_elements() / values.dim(0);
    int64_t at = 0;
    StopLook look;
    for (const Rows& rows : taken) {
      const int64_t count = (rows.end - rows.begin) * width;
      look.Turns(1 + count);
      CopyRange(values, rows.begin * width, count, put, at);
      at += count;
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("RaggedGather").OnCpu(), RaggedGatherOp);

}  // namespace
}  // namespace tfbuild
