// TopKV2: the k largest elements of each row, with their places.
#include <algorithm>
#include <functional>
#include <numeric>

#include "base/parallel.h"
#include "base/stop.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

Status TopKShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  ASSIGN_OR_RETURN(const auto k, KnownScalar(*context, 1));
  const PartialShape& input = context->input(0);
  if (k && *k < 0) return InvalidArgument("Need k >= 0, got ", *k);
  if (!input.known_rank()) return OkStatus();
  std::vector<int64_t> dims = input.dims();
  if (k && dims.back() != kUnknownDim && dims.back() < *k) {
    return InvalidArgument("input must have last dimension >= k = ", *k, " but is ", dims.back());
  }
  dims.back() = k.value_or(kUnknownDim);
  context->set_output(0, PartialShape(dims));
  context->set_output(1, PartialShape(dims));
  return OkStatus();
}

REGISTER_OP("TopKV2")
    .Input("input: T")
    .Input("k: Tk")
    .Output("values: T")
    .Output("indices: index_type")
    .Attr("sorted: bool = true")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .Attr("Tk: {int16, int32, int64} = DT_INT32")
    .Attr("index_type: {int16, int32, int64} = DT_INT32")
    .ShapeFunction(TopKShape);

constexpr int64_t kTopKGrain = 8192;  // elements that are worth a thread
constexpr uint32_t kCompared = 65536;  // between two looks whether to go on

// Writes the places of the k largest of `size` elements into `order`, the largest first. Of equal
// ones the first comes first, and NaN is less than all numbers.
template <typename T>
void FindLargest(const T* row, int64_t size, int64_t k, std::vector<int64_t>* order) {
  using C = ComputeTypeOf<T>;
  order->resize(static_cast<size_t>(size));
  std::iota(order->begin(), order->end(), 0);
  uint32_t compared = 0;
  const auto before = [row, &compared](int64_t a, int64_t b) {
    if (++compared % kCompared == 0) ThrowIfStopped();
    const C x = static_cast<C>(row[a]), y = static_cast<C>(row[b]);
    if (x > y || y > x) return x > y;
    const bool x_is_nan = x != x, y_is_nan = y != y;
    return x_is_nan == y_is_nan ? a < b : y_is_nan;
  };
  std::partial_sort(order->begin(), order->begin() + k, order->end(), std::ref(before));
}

template <typename T, typename Index>
class TopKOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const int64_t k, ScalarFrom(context->input(1), "k"));
    if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
    if (input.rank() < 1) return InvalidArgument("input must be >= 1-D, got shape ", input.shape());
    const int64_t size = input.dim(input.rank() - 1);
    if (size < k) {
      return InvalidArgument("input must have at least k columns. Had ", size, ", needed ", k);
    }
    std::vector<int64_t> dims = input.shape().dims();
    dims.back() = k;
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(0, shape));
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(1, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const T* from = input.data<T>();
    T* largest = values->mutable_data<T>();
    Index* places = indices->mutable_data<Index>();
    const int64_t grain = std::max<int64_t>(1, kTopKGrain / size);
    ParallelFor(input.num_elements() / size, grain, [=](int64_t begin, int64_t end) {
      // A copy of the row, as the order must hold while it is sorted, whoever fed the array.
      std::vector<T> row;
      std::vector<int64_t> order;
      for (int64_t r = begin; r < end; ++r) {
        row.assign(from + r * size, from + (r + 1) * size);
        FindLargest(row.data(), size, k, &order);
        for (int64_t i = 0; i < k; ++i) {
          const int64_t place = order[static_cast<size_t>(i)];
          largest[r * k + i] = row[static_cast<size_t>(place)];
          places[r * k + i] = static_cast<Index>(place);
        }
      }
    });
    return OkStatus();
  }
};

#define REGISTER_ONE(T, Index) \
  REGISTER_KERNEL(Kernel("TopKV2").OnCpu().Type<T>("T").Type<Index>("index_type"), TopKOp<T, Index>);
#define REGISTER(T) REGISTER_ONE(T, int16_t) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE
}  // namespace
}  // namespace tfbuild
