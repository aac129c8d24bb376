// SegmentSum, -Mean, -Prod, -Min and -Max, and UnsortedSegmentProd, -Min and -Max: rows of data
// that carry the same segment id, put together.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/math/segment_sum.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status SortedShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(const PartialShape ids, context->WithRank(1, 1));
  const PartialShape& data = context->input(0);
  if (!data.known_rank()) return OkStatus();
  RETURN_IF_ERROR(PartialShape{data.dim(0)}.MergeWith(ids).status());
  std::vector<int64_t> dims = data.dims();
  dims[0] = kUnknownDim;
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status UnsortedShape(ShapeContext* context) {
  const PartialShape &data = context->input(0), &ids = context->input(1);
  RETURN_IF_ERROR(context->WithRank(2, 0).status());
  if (!data.known_rank() || !ids.known_rank()) return OkStatus();
  if (ids.rank() > data.rank()) {
    return InvalidArgument("segment_ids of shape ", ids, " must begin the shape ", data,
                           " of data");
  }
  const auto split = data.dims().begin() + ids.rank();
  RETURN_IF_ERROR(PartialShape(std::vector<int64_t>(data.dims().begin(), split))
                      .MergeWith(ids).status());
  ASSIGN_OR_RETURN(const auto segments, KnownScalar(*context, 2));
  if (segments && *segments < 0) return InvalidArgument("num_segments is negative: ", *segments);
  std::vector<int64_t> dims{segments.value_or(kUnknownDim)};
  dims.insert(dims.end(), split, data.dims().end());
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

#define NUMBERS "{float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, " \
                "complex128, half, uint16, uint32, uint64}"
#define REAL_NUMBERS "{float, double, int32, uint8, int16, int8, int64, bfloat16, half, " \
                     "uint16, uint32, uint64}"
#define DEFINE(name, types)            \
  REGISTER_OP(name)                    \
      .Input("data: T")                \
      .Input("segment_ids: Tindices")  \
      .Output("output: T")             \
      .Attr("T: " types)               \
      .Attr("Tindices: {int32, int64}") \
      .ShapeFunction(SortedShape)
DEFINE("SegmentSum", NUMBERS);
DEFINE("SegmentMean", NUMBERS);
DEFINE("SegmentProd", NUMBERS);
DEFINE("SegmentMin", REAL_NUMBERS);
DEFINE("SegmentMax", REAL_NUMBERS);
#undef DEFINE
#define DEFINE(name, types)                               \
  REGISTER_OP(name)                                       \
      .Input("data: T")                                   \
      .Input("segment_ids: Tindices")                     \
      .Input("num_segments: Tnumsegments")                \
      .Output("output: T")                                \
      .Attr("T: " types)                                  \
      .Attr("Tindices: {int32, int64}")                   \
      .Attr("Tnumsegments: {int32, int64} = DT_INT32")    \
      .ShapeFunction(UnsortedShape)
DEFINE("UnsortedSegmentProd", NUMBERS);
DEFINE("UnsortedSegmentMin", REAL_NUMBERS);
DEFINE("UnsortedSegmentMax", REAL_NUMBERS);
#undef DEFINE

// Each: what a segment starts with, and what is there where an unsorted segment has no rows.
struct Sum {
  template <typename C>
  static C Apply(C a, C b) { return functor::Add::Apply(a, b); }
  template <typename T>
  static T Start() { return T(0); }
};
struct Product {
  template <typename C>
  static C Apply(C a, C b) { return functor::Mul::Apply(a, b); }
  template <typename T>
  static T Start() { return T(1); }
};
// The largest and the smallest number of half and bfloat16 as floats.
template <typename T>
constexpr ComputeTypeOf<T> Largest() {
  if constexpr (std::is_same_v<T, Half>) return 65504.0f;
  if constexpr (std::is_same_v<T, BFloat16>) return 3.38953139e38f;
  return std::numeric_limits<ComputeTypeOf<T>>::max();
}
struct SegmentMin {
  template <typename C>
  static C Apply(C a, C b) { return b < a || b != b ? b : a; }
  template <typename T>
  static ComputeTypeOf<T> Start() { return Largest<T>(); }
};
struct SegmentMax {
  template <typename C>
  static C Apply(C a, C b) { return b > a || b != b ? b : a; }
  template <typename T>
  static ComputeTypeOf<T> Start() {
    using C = ComputeTypeOf<T>;
    return std::is_integral_v<C> ? std::numeric_limits<C>::lowest() : static_cast<C>(-Largest<T>());
  }
};

constexpr int64_t kSegmentReductionsGrain = 32768;  // elements that are worth a thread

// Puts rows of `width` elements together. Threads share the columns, so every result has one order.
template <typename Functor, typename T, typename C>
void PutTogether(const std::vector<int64_t>& ids, const T* data, int64_t width, C* results) {
  const int64_t rows = static_cast<int64_t>(ids.size());
  ParallelFor(width, std::max<int64_t>(1, kSegmentReductionsGrain / std::max<int64_t>(rows, 1)),
              [&ids, data, width, rows, results](int64_t begin, int64_t end) {
    StopLook look;
    for (int64_t row = 0; row < rows; ++row) {
      look.Turns(1 + end - begin);
      const int64_t id = ids[static_cast<size_t>(row)];
      if (id < 0) continue;
      const T* from = data + row * width;
      C* to = results + id * width;
      for (int64_t j = begin; j < end; ++j) to[j] = Functor::Apply(to[j], C(from[j]));
    }
  });
}

Result<std::vector<int64_t>> AllIds(const Tensor& ids) {
  ASSIGN_OR_RETURN(const Tensor flat, ids.Reshaped(Shape{ids.num_elements()}));
  return flat.IntValues();
}

// The ids of sorted segments: not negative and never less than the one before.
Result<std::vector<int64_t>> SortedIds(const Tensor& data, const Tensor& given) {
  if (given.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
  if (data.rank() < 1) return InvalidArgument("data must be at least a vector");
  if (data.dim(0) != given.dim(0)) {
    return InvalidArgument("segment_ids should be the same size as dimension 0 of input.");
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> ids, given.IntValues());
  if (!ids.empty() && ids.back() >= kMaxElements) {
    return InvalidArgument("segment id ", ids.back(), " is too large");
  }
  if (!ids.empty() && ids.back() < 0) return InvalidArgument("segment ids must be >= 0");
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] > ids.back()) {
      return InvalidArgument("Segment id ", ids[i], " out of range [0, ", ids.back() + 1,
                             "), possibly because 'segment_ids' input is not sorted.");
    }
    if (i > 0 && ids[i] < ids[i - 1]) return InvalidArgument("segment ids are not increasing");
  }
  return ids;
}

// What knows the type of the elements, compiled once for each reduction and not for each op.
template <typename T, typename Functor>
struct Reduction {
  using C = ComputeTypeOf<T>;
  static constexpr DType kWorkType = DTypeOf<C>::value;

  // Where a segment has no rows there is `none`; counts of null: what a segment starts with.
  static void Start(const int64_t* counts, int64_t segments, int64_t width, Tensor* work) {
    C* results = work->mutable_data<C>();
    const C start = Functor::template Start<T>(), none = std::is_same_v<Functor, Product> ? C(1) : C(0);
    ParallelFill(results, segments * width, start);
    if (counts == nullptr || start == none) return;
    StopLook look;
    for (int64_t i = 0; i < segments; ++i) {
      look.Turn();
      if (counts[i] == 0) ParallelFill(results + i * width, width, none);
    }
  }
  static void Reduce(const std::vector<int64_t>& ids, const Tensor& data, int64_t width,
                     Tensor* work) {
    PutTogether<Functor>(ids, data.data<T>(), width, work->mutable_data<C>());
  }
  // Divides by the counts, where there are some.
  static void Finish(const int64_t* counts, int64_t width, const Tensor& work, Tensor* output) {
    const C* results = work.data<C>();
    T* out = output->mutable_data<T>();
    if (counts == nullptr) return ParallelConvert(results, output->num_elements(), out);
    ParallelFor(output->num_elements(), kParallelFillGrain, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = static_cast<T>(results[i] / C(std::max<int64_t>(1, counts[i / width])));
      }
    });
  }
};

// The same for all types.
struct AnyReduction {
  DType work_type;
  decltype(&Reduction<float, Sum>::Start) start;
  decltype(&Reduction<float, Sum>::Reduce) reduce;
  decltype(&Reduction<float, Sum>::Finish) finish;
};
template <typename T, typename Functor>
AnyReduction ReductionOf() {
  using R = Reduction<T, Functor>;
  return {R::kWorkType, R::Start, R::Reduce, R::Finish};
}

class SegmentOp : public OpKernel {
 public:
  explicit SegmentOp(const AnyReduction& reduction) : reduction_(reduction) {}

 protected:
  const AnyReduction reduction_;
};

class SortedSegmentOp : public SegmentOp {
 public:
  using SegmentOp::SegmentOp;
  Status Init(const OpKernelConstruction& construction) final {
    mean_ = construction.node.op().name == "SegmentMean";
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) final {
    const Tensor& data = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> ids, SortedIds(data, context->input(1)));
    std::vector<int64_t> dims = data.shape().dims();
    dims[0] = ids.empty() ? 0 : ids.back() + 1;
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t width = shape.num_elements() / dims[0];
    ASSIGN_OR_RETURN(Tensor work, context->AllocateTemp(reduction_.work_type, shape));
    ASSIGN_OR_RETURN(Tensor counted, context->AllocateTemp(DType::kInt64, Shape{dims[0]}));
    int64_t* counts = counted.mutable_data<int64_t>();
    ParallelFill(counts, dims[0], int64_t{0});
    for (const int64_t id : ids) ++counts[id];
    reduction_.start(counts, dims[0], width, &work);
    reduction_.reduce(ids, data, width, &work);
    reduction_.finish(mean_ ? counts : nullptr, width, work, output);
    return OkStatus();
  }

 private:
  bool mean_ = false;
};

class UnsortedSegmentOp : public SegmentOp {
 public:
  using SegmentOp::SegmentOp;
  Status Compute(OpKernelContext* context) final {
    const Tensor &data = context->input(0), &given = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape,
                     SegmentSumShape(data.shape(), given.shape(), context->input(2)));
    ASSIGN_OR_RETURN(const std::vector<int64_t> ids, AllIds(given));
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < shape.dim(0)) continue;
      return InvalidArgument("segment_ids[", i, "] = ", ids[i], " is out of range [0, ",
                             shape.dim(0), ")");
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t width = shape.num_elements() / shape.dim(0);
    ASSIGN_OR_RETURN(Tensor work, context->AllocateTemp(reduction_.work_type, shape));
    reduction_.start(nullptr, shape.dim(0), width, &work);
    reduction_.reduce(ids, data, width, &work);
    reduction_.finish(nullptr, width, work, output);
    return OkStatus();
  }
};

template <typename Op, typename T, typename Functor>
struct SegmentOpOf final : Op {
  SegmentOpOf() : Op(ReductionOf<T, Functor>()) {}
};

#define REGISTER_OF(name, Op, T, Functor) \
  REGISTER_KERNEL(Kernel(name).OnCpu().Type<T>("T"), SegmentOpOf<Op, T, Functor>);
#define REGISTER_ANY(T)                                                \
  REGISTER_OF("SegmentSum", SortedSegmentOp, T, Sum)                   \
  REGISTER_OF("SegmentMean", SortedSegmentOp, T, Sum)                  \
  REGISTER_OF("SegmentProd", SortedSegmentOp, T, Product)              \
  REGISTER_OF("UnsortedSegmentProd", UnsortedSegmentOp, T, Product)
#define REGISTER(T)                                                    \
  REGISTER_ANY(T)                                                      \
  REGISTER_OF("SegmentMin", SortedSegmentOp, T, SegmentMin)               \
  REGISTER_OF("SegmentMax", SortedSegmentOp, T, SegmentMax)                \
  REGISTER_OF("UnsortedSegmentMin", UnsortedSegmentOp, T, SegmentMin)     \
  REGISTER_OF("UnsortedSegmentMax", UnsortedSegmentOp, T, SegmentMax)
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER_ANY)
#undef REGISTER
#undef REGISTER_ANY
#undef REGISTER_OF

}  // namespace
}  // namespace tfbuild
