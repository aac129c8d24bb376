// RaggedTensorToVariant, RaggedTensorFromVariant: a ragged tensor as one element, or each of its rows as
// one, so that datasets and loops take them like any other tensor.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/element_moves.h"
#include "kernels/ragged/row_splits.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

Status VariantShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const bool batched, context->Attr<bool>("batched_input"));
  if (!batched) {
    context->set_output(0, PartialShape(Shape{}));
    return OkStatus();
  }
  const PartialShape& outer = context->input(0);
  int64_t rows = kUnknownDim;
  if (outer.known_rank() && outer.rank() > 0) rows = outer.dims()[0];
  if (rows != kUnknownDim && context->num_inputs() > 1) rows = std::max<int64_t>(rows - 1, 0);
  context->set_output(0, PartialShape({rows}));
  return OkStatus();
}

Status PartsShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t splits, context->Attr<int64_t>("output_ragged_rank"));
  for (int i = 0; i < static_cast<int>(splits); ++i) {
    context->set_output(i, PartialShape({kUnknownDim}));
  }
  return OkStatus();
}

REGISTER_OP("RaggedTensorToVariant")
    .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
    .Input("rt_dense_values: Tvalues")
    .Output("encoded_ragged: variant")
    .Attr("RAGGED_RANK: int >= 0")
    .Attr("Tvalues: type")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Attr("batched_input: bool")
    .ShapeFunction(VariantShape);
REGISTER_OP("RaggedTensorFromVariant")
    .Input("encoded_ragged: variant")
    .Output("output_nested_splits: output_ragged_rank * Tsplits")
    .Output("output_dense_values: Tvalues")
    .Attr("input_ragged_rank: int >= -1")
    .Attr("output_ragged_rank: int >= 0")
    .Attr("Tvalues: type")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .ShapeFunction(PartsShape);

struct HeldRagged final : VariantValue {
  std::vector<Tensor> splits;  // the outermost first
  Tensor values;
  int64_t rows() const { return splits.empty() ? values.dim(0) : splits[0].num_elements() - 1; }
};

// Some neighbours of the rows of a tensor, `end` excluded.
Result<Tensor> RowsFrom(const Tensor& tensor, int64_t begin, int64_t end) {
  std::vector<int64_t> dims = tensor.shape().dims();
  dims[0] = end - begin;
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(CpuAllocator(), tensor.dtype(), shape));
  const int64_t width = tensor.dim(0) == 0 ? 0 : tensor.num_elements() / tensor.dim(0);
  CopyRange(tensor, begin * width, part.num_elements(), &part, 0);
  return part;
}

class RaggedTensorToVariantOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(batched_, construction.Attr<bool>("batched_input"));
    ASSIGN_OR_RETURN(splits_, construction.Attr<DType>("Tsplits"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const int levels = context->num_inputs() - 1;
    const Tensor& values = context->input(levels);
    if (values.rank() == 0 && (levels > 0 || batched_)) {
      return InvalidArgument("rt_dense_values must have one dimension at least");
    }
    ASSIGN_OR_RETURN(const std::vector<RowSplits> nested,
                     NestedSplitsFrom(*context, 0, levels, levels == 0 ? -1 : values.dim(0)));
    if (batched_) return PutRows(context, nested, values);
    const auto held = std::make_shared<HeldRagged>();
    for (int i = 0; i < levels; ++i) held->splits.push_back(context->input(i));
    held->values = values;
    ASSIGN_OR_RETURN(Tensor * whole, context->AllocateOutput(0, Shape{}));
    *whole->mutable_data<Variant>() = held;
    return OkStatus();
  }

 private:
  Status PutRows(OpKernelContext* context, const std::vector<RowSplits>& nested,
                 const Tensor& values) const {
    const int64_t rows =
        nested.empty() ? values.dim(0) : static_cast<int64_t>(nested[0].size()) - 1;
    ASSIGN_OR_RETURN(Tensor * all, context->AllocateOutput(0, Shape{rows}));
    StopLook look;
    for (int64_t row = 0; row < rows; ++row) {
      look.Turn();
      ASSIGN_OR_RETURN(all->mutable_data<Variant>()[row], RowAt(nested, values, row));
    }
    return OkStatus();
  }

  Result<Variant> RowAt(const std::vector<RowSplits>& nested, const Tensor& values,
                        int64_t row) const {
    const auto held = std::make_shared<HeldRagged>();
    int64_t begin = row, end = row + 1;
    for (size_t level = 0; level < nested.size(); ++level) {
      if (level > 0) {
        ASSIGN_OR_RETURN(Tensor some, SplitsOf(nested[level], begin, end));
        held->splits.push_back(std::move(some));
      }
      begin = nested[level][static_cast<size_t>(begin)];
      end = nested[level][static_cast<size_t>(end)];
    }
    ASSIGN_OR_RETURN(held->values, RowsFrom(values, begin, end));
    if (nested.empty()) {  // of a tensor without ragged dimensions a row has one less
      const std::vector<int64_t> inner(values.shape().dims().begin() + 1, values.shape().dims().end());
      ASSIGN_OR_RETURN(const Shape shape, Shape::Make(inner));
      ASSIGN_OR_RETURN(held->values, held->values.Reshaped(shape));
    }
    return Variant(held);
  }

  // The splits of the rows from `begin` on, `end` excluded, as if there were no others.
  Result<Tensor> SplitsOf(const RowSplits& from, int64_t begin, int64_t end) const {
    ASSIGN_OR_RETURN(Tensor splits,
                     Tensor::Allocate(CpuAllocator(), splits_, Shape{end - begin + 1}));
    const int64_t first = from[static_cast<size_t>(begin)];
    for (int64_t i = begin; i <= end; ++i) {
      PutSplit(&splits, i - begin, from[static_cast<size_t>(i)] - first);
    }
    return splits;
  }

  bool batched_ = false;
  DType splits_ = DType::kInvalid;
};

class RaggedTensorFromVariantOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(input_rank_, construction.Attr<int64_t>("input_ragged_rank"));
    ASSIGN_OR_RETURN(splits_, construction.Attr<DType>("Tsplits"));
    ASSIGN_OR_RETURN(values_, construction.Attr<DType>("Tvalues"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& encoded = context->input(0);
    const int64_t outputs = context->num_outputs() - 1;
    const int64_t own = input_rank_ >= 0 ? input_rank_ : outputs - encoded.rank();
    if (own < 0 || own + encoded.rank() != outputs) {
      return InvalidArgument("output_ragged_rank is ", outputs, " where variants of rank ",
                             encoded.rank(), " hold ", own, " ragged dimensions");
    }
    std::vector<const HeldRagged*> parts;
    StopLook look;
    for (int64_t i = 0; i < encoded.num_elements(); ++i) {
      look.Turn();
      ASSIGN_OR_RETURN(const HeldRagged* part, PartAt(encoded, i, own));
      parts.push_back(part);
    }
    if (encoded.rank() > 0) return Join(context, encoded.shape(), parts);
    for (size_t i = 0; i < parts[0]->splits.size(); ++i) {
      context->SetOutput(static_cast<int>(i), parts[0]->splits[i]);
    }
    context->SetOutput(context->num_outputs() - 1, parts[0]->values);
    return OkStatus();
  }

 private:
  Result<const HeldRagged*> PartAt(const Tensor& encoded, int64_t at, int64_t own) const {
    const auto* part = dynamic_cast<const HeldRagged*>(encoded.data<Variant>()[at].get());
    if (part == nullptr) return InvalidArgument("element ", at, " holds no ragged tensor");
    if (static_cast<int64_t>(part->splits.size()) != own) {
      return InvalidArgument("element ", at, " has ", part->splits.size(),
                             " ragged dimensions, not ", own);
    }
    if (part->values.dtype() != values_) {
      return InvalidArgument("element ", at, " has values of ", DTypeName(part->values.dtype()),
                             ", not ", DTypeName(values_));
    }
    if (own > 0 && part->splits[0].dtype() != splits_) {
      return InvalidArgument("element ", at, " has row_splits of ",
                             DTypeName(part->splits[0].dtype()), ", not ", DTypeName(splits_));
    }
    if (encoded.rank() > 0 && part->values.rank() == 0) {
      return InvalidArgument("element ", at, " is a scalar, which has no rows");
    }
    return part;
  }

  // The dimensions of the variants come first; the last one has rows as long as the parts are.
  Status Join(OpKernelContext* context, const Shape& outer,
              const std::vector<const HeldRagged*>& parts) const {
    int64_t rows = 1;
    for (int axis = 0; axis + 1 < outer.rank(); ++axis) {
      if (__builtin_mul_overflow(rows, outer.dim(axis), &rows)) {
        return InvalidArgument("too many variants: ", outer);
      }
      const int64_t length = outer.dim(axis + 1);
      RETURN_IF_ERROR(PutSplits(context, axis, rows, [length](size_t) { return length; }));
    }
    std::vector<int64_t> lengths;
    const auto length_of = [&lengths](size_t row) { return lengths[row]; };
    for (const HeldRagged* part : parts) lengths.push_back(part->rows());
    RETURN_IF_ERROR(PutSplits(context, outer.rank() - 1, outer.num_elements(), length_of));
    for (int level = outer.rank(); level + 1 < context->num_outputs(); ++level) {
      lengths.clear();
      for (const HeldRagged* part : parts) {
        ASSIGN_OR_RETURN(const std::vector<int64_t> splits,
                         part->splits[static_cast<size_t>(level - outer.rank())].IntValues());
        for (size_t i = 1; i < splits.size(); ++i) lengths.push_back(splits[i] - splits[i - 1]);
      }
      RETURN_IF_ERROR(PutSplits(context, level, static_cast<int64_t>(lengths.size()), length_of));
    }
    return PutValues(context, parts);
  }

  // Sets an output to the splits of rows of which length_of(row) is the length.
  template <typename LengthOf>
  Status PutSplits(OpKernelContext* context, int output, int64_t rows,
                   const LengthOf& length_of) const {
    const int64_t most =
        splits_ == DType::kInt32 ? std::numeric_limits<int32_t>::max() : kMaxElements;
    ASSIGN_OR_RETURN(Tensor * splits, context->AllocateOutput(output, Shape{rows + 1}));
    int64_t end = 0;
    PutSplit(splits, 0, end);
    StopLook look;
    for (int64_t row = 0; row < rows; ++row) {
      look.Turn();
      end += length_of(static_cast<size_t>(row));
      if (end > most) return InvalidArgument("more than ", most, " values are joined");
      PutSplit(splits, row + 1, end);
    }
    return OkStatus();
  }

  static Status PutValues(OpKernelContext* context, const std::vector<const HeldRagged*>& parts) {
    std::vector<int64_t> dims{0};
    if (!parts.empty()) dims = parts[0]->values.shape().dims();
    dims[0] = 0;
    StopLook look;
    for (const HeldRagged* part : parts) {
      look.Turn();
      std::vector<int64_t> same = part->values.shape().dims();
      same[0] = dims[0] += part->values.dim(0);
      if (same == dims) continue;
      return InvalidArgument("All flat_values must have compatible shapes, but they are ",
                             parts[0]->values.shape(), " and ", part->values.shape());
    }
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * all, context->AllocateOutput(context->num_outputs() - 1, shape));
    int64_t at = 0;
    for (const HeldRagged* part : parts) {
      look.Turn();
      const int64_t count = part->values.num_elements();
      CopyRange(part->values, 0, count, all, at);
      at += count;
    }
    return OkStatus();
  }

  int64_t input_rank_ = -1;
  DType splits_ = DType::kInvalid;
  DType values_ = DType::kInvalid;
};

REGISTER_KERNEL(Kernel("RaggedTensorToVariant").OnCpu(), RaggedTensorToVariantOp);
REGISTER_KERNEL(Kernel("RaggedTensorFromVariant").OnCpu(), RaggedTensorFromVariantOp);

}  // namespace
}  // namespace tfbuild
