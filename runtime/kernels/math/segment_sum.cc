// UnsortedSegmentSum: sums of the rows of data that carry the same segment id.
#include "kernels/math/segment_sum.h"

#include <algorithm>
#include <type_traits>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status SegmentSumShapeFn(ShapeContext* context) {
  const PartialShape& data = context->input(0);
  const PartialShape& ids = context->input(1);
  RETURN_IF_ERROR(context->WithRank(2, 0).status());
  if (!data.known_rank() || !ids.known_rank()) return OkStatus();
  if (ids.rank() > data.rank()) {
    return InvalidArgument("segment_ids of shape ", ids, " must begin the shape ", data,
                           " of data");
  }
  ASSIGN_OR_RETURN(const auto segments, KnownScalar(*context, 2));
  std::vector<int64_t> dims(data.dims().begin() + ids.rank(), data.dims().end());
  const PartialShape head(std::vector<int64_t>(data.dims().begin(),
                                               data.dims().begin() + ids.rank()));
  RETURN_IF_ERROR(head.MergeWith(ids).status());
  if (segments && *segments < 0) return InvalidArgument("num_segments is negative: ", *segments);
  dims.insert(dims.begin(), segments.value_or(kUnknownDim));
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("UnsortedSegmentSum")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, "
          "complex128, half, uint16, uint32, uint64}")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .ShapeFunction(SegmentSumShapeFn);

constexpr int64_t kSegmentSumGrain = 32768;  // elements that are worth a thread

// The ids as int64, checked; a negative one means that the row is left out.
template <typename Index>
Result<std::vector<int64_t>> CheckedIds(const Tensor& ids, int64_t segments) {
  const Index* begin = ids.data<Index>();
  std::vector<int64_t> values(begin, begin + ids.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < segments) continue;
    return InvalidArgument("segment_ids[", i, "] = ", values[i], " is out of range [0, ", segments,
                           ")");
  }
  return values;
}

Result<std::vector<int64_t>> CheckedIds(const Tensor& ids, int64_t segments) {
  switch (ids.dtype()) {
    case DType::kInt16: return CheckedIds<int16_t>(ids, segments);
    case DType::kInt32: return CheckedIds<int32_t>(ids, segments);
    default: return CheckedIds<int64_t>(ids, segments);
  }
}

// Adds rows of `width` elements. Threads share the columns, so every sum has one order.
template <typename T, typename Sum>
void AddRows(const std::vector<int64_t>& ids, const T* data, int64_t width, Sum* sums) {
  const int64_t rows = static_cast<int64_t>(ids.size());
  ParallelFor(width, std::max<int64_t>(1, kSegmentSumGrain / std::max<int64_t>(rows, 1)),
              [&ids, data, width, rows, sums](int64_t begin, int64_t end) {
    StopLook look;
    for (int64_t row = 0; row < rows; ++row) {
      look.Turns(1 + end - begin);
      const int64_t id = ids[static_cast<size_t>(row)];
      if (id < 0) continue;
      const T* from = data + row * width;
      Sum* to = sums + id * width;
      for (int64_t j = begin; j < end; ++j) to[j] = functor::Add::Apply(to[j], Sum(from[j]));
    }
  });
}

template <typename T>
class SegmentSumOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    const Tensor& ids = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape,
                     SegmentSumShape(data.shape(), ids.shape(), context->input(2)));
    ASSIGN_OR_RETURN(const std::vector<int64_t> checked, CheckedIds(ids, shape.dim(0)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return OkStatus();
    const int64_t width = count / shape.dim(0);
    using Sum = ComputeTypeOf<T>;
    T* out = output->mutable_data<T>();
    if constexpr (std::is_same<Sum, T>::value) {
      ParallelFill(out, count, T(0));
      AddRows(checked, data.data<T>(), width, out);
    } else {
      ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DTypeOf<Sum>::value, shape));
      Sum* wide = sums.mutable_data<Sum>();
      ParallelFill(wide, count, Sum(0));
      AddRows(checked, data.data<T>(), width, wide);
      ParallelConvert(wide, count, out);
    }
    return OkStatus();
  }
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("UnsortedSegmentSum").OnCpu().Type<T>("T"), SegmentSumOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace

Result<Shape> SegmentSumShape(const Shape& data, const Shape& ids, const Tensor& num_segments) {
  ASSIGN_OR_RETURN(const int64_t segments, ScalarFrom(num_segments, "num_segments"));
  bool begins = ids.rank() <= data.rank();
  for (int k = 0; begins && k < ids.rank(); ++k) begins = ids.dim(k) == data.dim(k);
  if (!begins) {
    return InvalidArgument("segment_ids of shape ", ids, " must begin the shape ", data,
                           " of data");
  }
  std::vector<int64_t> dims{segments};
  dims.insert(dims.end(), data.dims().begin() + ids.rank(), data.dims().end());
  return Shape::Make(std::move(dims));
}

}  // namespace tfbuild
