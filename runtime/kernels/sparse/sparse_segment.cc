// SparseSegmentSum, -Mean and -SqrtN, with a number of segments or without, and their gradients:
// rows that indices name, put together by segment.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

Status SegmentsShape(ShapeContext* context, int segments) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(const PartialShape indices, context->WithRank(1, 1));
  ASSIGN_OR_RETURN(const PartialShape ids, context->WithRank(2, 1));
  RETURN_IF_ERROR(indices.MergeWith(ids).status());
  std::optional<int64_t> rows;
  if (segments >= 0) {
    RETURN_IF_ERROR(context->WithRank(segments, 0).status());
    ASSIGN_OR_RETURN(rows, KnownScalar(*context, segments));
    if (rows && *rows < 0) return InvalidArgument("Cannot specify a negative value: ", *rows);
  }
  if (!context->input(0).known_rank()) return OkStatus();
  std::vector<int64_t> dims = context->input(0).dims();
  dims[0] = rows.value_or(kUnknownDim);
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}
Status SumShape(ShapeContext* context) { return SegmentsShape(context, -1); }
Status CountedShape(ShapeContext* context) { return SegmentsShape(context, 3); }

#define DEFINE(name, types)                               \
  REGISTER_OP(name)                                       \
      .Input("data: T")                                   \
      .Input("indices: Tidx")                             \
      .Input("segment_ids: Tsegmentids")                  \
      .Output("output: T")                                \
      .Attr("T: " types)                                  \
      .Attr("Tidx: {int32, int64} = DT_INT32")            \
      .Attr("Tsegmentids: {int32, int64} = DT_INT32")     \
      .Attr("sparse_gradient: bool = false")              \
      .ShapeFunction(SumShape)
#define TFBUILD_COUNTED_DEFINITION(name, types)           \
  REGISTER_OP(name)                                       \
      .Input("data: T")                                   \
      .Input("indices: Tidx")                             \
      .Input("segment_ids: Tsegmentids")                  \
      .Input("num_segments: Tnumsegments")                \
      .Output("output: T")                                \
      .Attr("T: " types)                                  \
      .Attr("Tidx: {int32, int64} = DT_INT32")            \
      .Attr("Tnumsegments: {int32, int64} = DT_INT32")    \
      .Attr("Tsegmentids: {int32, int64} = DT_INT32")     \
      .Attr("sparse_gradient: bool = false")              \
      .ShapeFunction(CountedShape)
#define TFBUILD_GRADIENT_DEFINITION(name)                 \
  REGISTER_OP(name)                                       \
      .Input("grad: T")                                   \
      .Input("indices: Tidx")                             \
      .Input("segment_ids: Tsegmentids")                  \
      .Input("output_dim0: int32")                        \
      .Output("output: T")                                \
      .Attr("T: {bfloat16, half, float, double}")         \
      .Attr("Tidx: {int32, int64} = DT_INT32")            \
      .Attr("Tsegmentids: {int32, int64} = DT_INT32")     \
      .ShapeFunction(CountedShape)
#define NUMBERS \
  "{float, double, int32, uint8, int16, int8, int64, bfloat16, half, uint16, uint32, uint64}"
#define FLOATS "{bfloat16, half, float, double}"
DEFINE("SparseSegmentSum", NUMBERS);
DEFINE("SparseSegmentMean", FLOATS);
DEFINE("SparseSegmentSqrtN", FLOATS);
TFBUILD_COUNTED_DEFINITION("SparseSegmentSumWithNumSegments", NUMBERS);
TFBUILD_COUNTED_DEFINITION("SparseSegmentMeanWithNumSegments", FLOATS);
TFBUILD_COUNTED_DEFINITION("SparseSegmentSqrtNWithNumSegments", FLOATS);
TFBUILD_GRADIENT_DEFINITION("SparseSegmentSumGrad");
TFBUILD_GRADIENT_DEFINITION("SparseSegmentMeanGrad");
TFBUILD_GRADIENT_DEFINITION("SparseSegmentSqrtNGrad");
#undef TFBUILD_COUNTED_DEFINITION
#undef TFBUILD_GRADIENT_DEFINITION
#undef NUMBERS
#undef FLOATS
#undef DEFINE

enum class Share { kSum, kMean, kSqrtN };

template <typename C>
C Scaled(Share share, C value, int64_t count) {
  if constexpr (std::is_integral_v<C>) return value;
  if (share == Share::kMean) return static_cast<C>(value / static_cast<C>(count));
  if (share == Share::kSqrtN) return static_cast<C>(value / std::sqrt(static_cast<C>(count)));
  return value;
}

// The segment of each row, and how many rows each segment has.
struct Segments {
  std::vector<int64_t> ids;
  std::vector<int64_t> counts;

  // `limit` < 0: as many as the last id says.
  static Result<Segments> Read(const Tensor& given, const Tensor& indices, int64_t limit,
                               bool is_gradient) {
    if (indices.rank() != 1) return InvalidArgument("indices should be a vector.");
    if (given.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
    if (given.dim(0) != indices.dim(0)) {
      return InvalidArgument("segment_ids and indices should have same size.");
    }
    Segments read;
    ASSIGN_OR_RETURN(read.ids, given.IntValues());
    const int64_t needed = read.ids.empty() ? 0 : read.ids.back() + 1;
    if (!read.ids.empty() && needed <= 0 && !is_gradient) {
      return InvalidArgument("segment ids must be >= 0");
    }
    if (limit >= 0 && needed > limit) {
      return InvalidArgument(is_gradient ? "Invalid number of segments: "
                                         : "segment ids must be < num_segments: ",
                             needed - 1, " is not in [0, ", limit, ")");
    }
    StopLook look;
    for (size_t i = 0; i < read.ids.size(); ++i) {
      look.Turn();
      if (read.ids[i] < 0 || read.ids[i] >= needed) {
        return InvalidArgument("Segment id ", read.ids[i], " out of range [0, ", needed,
                               "), possibly because 'segment_ids' input is not sorted.");
      }
      if (i > 0 && read.ids[i] < read.ids[i - 1]) {
        return InvalidArgument("segment ids are not increasing");
      }
    }
    if (needed > kMaxElements) return InvalidArgument("segment id ", needed - 1, " is too large");
    read.counts.assign(static_cast<size_t>(limit >= 0 ? limit : needed), 0);
    for (const int64_t id : read.ids) ++read.counts[static_cast<size_t>(id)];
    return read;
  }
};

// A result of `rows` rows that are wide as those of `data`.
Result<Shape> RowsAs(const Tensor& data, int64_t rows) {
  std::vector<int64_t> dims = data.shape().dims();
  dims[0] = rows;
  return Shape::Make(dims);
}

template <typename T, Share kShare>
class SparseSegmentOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    if (data.rank() < 1) return InvalidArgument("data must be at least a vector");
    int64_t limit = -1;
    if (context->num_inputs() == 4) {
      ASSIGN_OR_RETURN(limit, ScalarFrom(context->input(3), "num_segments"));
      if (limit < 0) return InvalidArgument("segment ids must be >= 0: num_segments is ", limit);
      RETURN_IF_ERROR(RowsAs(data, limit).status());
    }
    ASSIGN_OR_RETURN(const Segments segments,
                     Segments::Read(context->input(2), context->input(1), limit, false));
    ASSIGN_OR_RETURN(const std::vector<int64_t> from, context->input(1).IntValues());
    StopLook look;
    for (size_t i = 0; i < from.size(); ++i) {
      look.Turn();
      if (from[i] >= 0 && from[i] < data.dim(0)) continue;
      return InvalidArgument("Bad: indices[", i, "] == ", from[i], " out of range [0, ",
                             data.dim(0), ")");
    }
    ASSIGN_OR_RETURN(const Shape shape,
                     RowsAs(data, static_cast<int64_t>(segments.counts.size())));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const int64_t width = data.dim(0) == 0 ? 0 : data.num_elements() / data.dim(0);
    T* out = output->mutable_data<T>();
    ParallelFill(out, shape.num_elements(), T(0));
    std::vector<C> sums(static_cast<size_t>(width));
    for (size_t begin = 0, end = 0; begin < from.size(); begin = end) {
      const int64_t id = segments.ids[begin];
      std::fill(sums.begin(), sums.end(), C(0));
      for (; end < from.size() && segments.ids[end] == id; ++end) {
        look.Turns(1 + width);
        const T* row = data.data<T>() + from[end] * width;
        for (int64_t j = 0; j < width; ++j) {
          C& sum = sums[static_cast<size_t>(j)];
          sum = functor::Add::Apply(sum, C(row[j]));
        }
      }
      const int64_t count = static_cast<int64_t>(end - begin);
      for (int64_t j = 0; j < width; ++j) {
        out[id * width + j] = T(Scaled(kShare, sums[static_cast<size_t>(j)], count));
      }
    }
    return OkStatus();
  }

 private:
  using C = ComputeTypeOf<T>;
};

template <typename T, Share kShare>
class SparseSegmentGradOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    if (gradient.rank() < 1) return InvalidArgument("grad must be at least a vector");
    ASSIGN_OR_RETURN(const int64_t rows, ScalarFrom(context->input(3), "output_dim0"));
    if (rows < 0) return InvalidArgument("output_dim0 is negative: ", rows);
    ASSIGN_OR_RETURN(const Segments segments,
                     Segments::Read(context->input(2), context->input(1), gradient.dim(0),
                                    true));
    ASSIGN_OR_RETURN(const std::vector<int64_t> to, context->input(1).IntValues());
    for (const int64_t row : to) {
      if (row < 0 || row >= rows) {
        return InvalidArgument("Index ", row, " out of range [0, ", rows, ").");
      }
    }
    ASSIGN_OR_RETURN(const Shape shape, RowsAs(gradient, rows));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    ASSIGN_OR_RETURN(Tensor work, context->AllocateTemp(DTypeOf<C>::value, shape));
    const int64_t width = gradient.dim(0) == 0 ? 0 : gradient.num_elements() / gradient.dim(0);
    C* sums = work.mutable_data<C>();
    ParallelFill(sums, shape.num_elements(), C(0));
    StopLook look;
    for (size_t i = 0; i < to.size(); ++i) {
      look.Turns(1 + width);
      const int64_t id = segments.ids[i], count = segments.counts[static_cast<size_t>(id)];
      const T* row = gradient.data<T>() + id * width;
      for (int64_t j = 0; j < width; ++j) sums[to[i] * width + j] += Scaled(kShare, C(row[j]), count);
    }
    T* out = output->mutable_data<T>();
    ParallelConvert(sums, shape.num_elements(), out);
    return OkStatus();
  }

 private:
  using C = ComputeTypeOf<T>;
};

#define REGISTER_ONE(T, name, share)                                                             \
  REGISTER_KERNEL(Kernel(name).OnCpu().Type<T>("T"), SparseSegmentOp<T, share>);                 \
  REGISTER_KERNEL(Kernel(name "WithNumSegments").OnCpu().Type<T>("T"), SparseSegmentOp<T, share>);
#define REGISTER(T) REGISTER_ONE(T, "SparseSegmentSum", Share::kSum)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#define REGISTER_FLOAT(T, name, share) \
  REGISTER_KERNEL(Kernel(name "Grad").OnCpu().Type<T>("T"), SparseSegmentGradOp<T, share>);
#define REGISTER(T)                                             \
  REGISTER_ONE(T, "SparseSegmentMean", Share::kMean)            \
  REGISTER_ONE(T, "SparseSegmentSqrtN", Share::kSqrtN)          \
  REGISTER_FLOAT(T, "SparseSegmentSum", Share::kSum)            \
  REGISTER_FLOAT(T, "SparseSegmentMean", Share::kMean)          \
  REGISTER_FLOAT(T, "SparseSegmentSqrtN", Share::kSqrtN)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_FLOAT
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
