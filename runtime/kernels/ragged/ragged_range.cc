// RaggedRange: a range of numbers for each row.
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/ragged/row_splits.h"
#include "tensor/half.h"

namespace tfbuild {
namespace {

// Scalars count for every row, and vectors must be of one length.
Status RangesShape(ShapeContext* context) {
  bool maybe_vector = false;
  int64_t rows = kUnknownDim;
  for (int i = 0; i < 3; ++i) {
    const PartialShape& shape = context->input(i);
    if (shape.known_rank() && shape.rank() == 0) continue;
    maybe_vector = true;
    if (!shape.known_rank()) continue;
    if (shape.rank() > 1) return InvalidArgument("starts, limits and deltas are scalars or vectors");
    if (shape.dim(0) == kUnknownDim) continue;
    if (rows != kUnknownDim && rows != shape.dim(0)) {
      return InvalidArgument("starts, limits, and deltas must have the same shape, not ", rows, " and ",
                             shape.dim(0), " elements");
    }
    rows = shape.dim(0);
  }
  if (!maybe_vector) rows = 1;
  context->set_output(0, PartialShape({rows == kUnknownDim ? kUnknownDim : rows + 1}));
  context->set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

REGISTER_OP("RaggedRange")
    .Input("starts: T")
    .Input("limits: T")
    .Input("deltas: T")
    .Output("rt_nested_splits: Tsplits")
    .Output("rt_dense_values: T")
    .Attr("T: {bfloat16, float, double, int32, int64} = DT_INT32")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .ShapeFunction(RangesShape);

// How many numbers there are from `start` by `delta` before `limit`; none where they lead away from it.
template <typename C>
Result<int64_t> CountOf(C start, C limit, C delta) {
  if (delta == 0) return InvalidArgument("Requires delta != 0");
  if (delta > 0 ? limit < start : limit > start) return 0;
  double count;
  if constexpr (std::is_integral<C>::value) {
    // In unsigned arithmetic, where the distance between any two numbers fits.
    const uint64_t from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(limit);
    const uint64_t step = static_cast<uint64_t>(delta);
    const uint64_t span = delta > 0 ? to - from : from - to;
    const uint64_t width = delta > 0 ? step : uint64_t{0} - step;
    count = static_cast<double>(span / width + (span % width != 0 ? 1 : 0));
  } else {
    count = std::ceil(std::abs((static_cast<double>(limit) - start) / delta));
  }
  if (!(count <= static_cast<double>(kMaxElements))) {  // NaN, too
    return InvalidArgument("Requires ((limit - start) / delta) <= ", kMaxElements);
  }
  return static_cast<int64_t>(count);
}

class RaggedRangeOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(splits_, construction.Attr<DType>("Tsplits"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    int64_t rows = 1;
    bool has_vector = false;
    for (int i = 0; i < 3; ++i) {
      const Tensor& input = context->input(i);
      if (input.rank() == 0) continue;
      if (input.rank() > 1 || (has_vector && input.dim(0) != rows)) {
        return InvalidArgument("starts, limits, and deltas must have the same shape");
      }
      rows = input.dim(0);
      has_vector = true;
    }
    switch (context->input(0).dtype()) {
#define CASE(T) \
  case DTypeOf<T>::value: return Fill<T>(context, rows);
      CASE(BFloat16)
      CASE(float)
      CASE(double)
      CASE(int32_t)
      CASE(int64_t)
#undef CASE
      default: return Unimplemented("no RaggedRange of that type");
    }
  }

 private:
  template <typename T>
  static ComputeTypeOf<T> At(const Tensor& input, int64_t row) {
    return ComputeTypeOf<T>(input.data<T>()[input.rank() == 0 ? 0 : row]);
  }

  template <typename T>
  Status Fill(OpKernelContext* context, int64_t rows) const {
    using C = ComputeTypeOf<T>;
    const Tensor &starts = context->input(0), &limits = context->input(1),
                 &deltas = context->input(2);
    ASSIGN_OR_RETURN(Tensor * splits, context->AllocateOutput(0, Shape{rows + 1}));
    int64_t total = 0;
    PutSplit(splits, 0, 0);
    std::vector<C> first, step;  // copies: a fed array may change while a step runs
    std::vector<int64_t> counts;
    StopLook look;
    for (int64_t i = 0; i < rows; ++i) {
      look.Turn();
      first.push_back(At<T>(starts, i));
      step.push_back(At<T>(deltas, i));
      ASSIGN_OR_RETURN(const int64_t count, CountOf<C>(first.back(), At<T>(limits, i), step.back()));
      counts.push_back(count);
      const int64_t most = splits_ == DType::kInt32 ? std::numeric_limits<int32_t>::max() : kMaxElements;
      if (count > most - total) return InvalidArgument("the ranges have more than ", most, " numbers");
      total += count;
      PutSplit(splits, i + 1, total);
    }
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(1, Shape{total}));
    T* at = values->mutable_data<T>();
    for (size_t i = 0; i < counts.size(); ++i) {
      C value = first[i];
      for (int64_t k = 0; k < counts[i]; ++k) {
        look.Turn();
        // Added up, and not beyond the last one, where integers could overflow.
        if (k > 0) value = C(T(value + step[i]));
        *at++ = T(value);
      }
    }
    return OkStatus();
  }

  DType splits_ = DType::kInt64;
};

REGISTER_KERNEL(Kernel("RaggedRange").OnCpu(), RaggedRangeOp);

}  // namespace
}  // namespace tfbuild
