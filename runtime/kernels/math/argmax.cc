// ArgMax and ArgMin: the index of the largest (smallest) element along an axis, the first one if
// there are several. NaN is never the best.
#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

Status ArgMaxShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const auto dimension, KnownScalar(*context, 1));
  if (input.rank() == 0) return InvalidArgument("a scalar has no dimension to search along");
  if (!dimension) {
    context->set_output(0, PartialShape::UnknownOfRank(input.rank() - 1));
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const int axis, CanonicalAxis(*dimension, input.rank()));
  std::vector<int64_t> dims = input.dims();
  dims.erase(dims.begin() + axis);
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("ArgMax")
    .Input("input: T")
    .Input("dimension: Tidx")
    .Output("output: output_type")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, bool, "
          "uint16, uint32, uint64}")
    .Attr("Tidx: {int16, int32, int64} = DT_INT32")
    .Attr("output_type: {int16, int32, int64, uint16} = DT_INT64")
    .ShapeFunction(ArgMaxShape);

REGISTER_OP("ArgMin")
    .Input("input: T")
    .Input("dimension: Tidx")
    .Output("output: output_type")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, bool, "
          "uint16, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("output_type: {int32, int64} = DT_INT64")
    .ShapeFunction(ArgMaxShape);

constexpr int64_t kArgmaxGrain = 16384;  // input elements that are worth a thread
constexpr int64_t kColumns = 256;  // columns searched side by side

// A tensor cut up around one axis: element (o, a, i) lies at (o * axis + a) * inner + i.
struct ArgMaxPlan {
  Shape output;
  int64_t outer = 1;
  int64_t axis = 1;
  int64_t inner = 1;
};

int64_t LargestIndex(DType type) {
  if (type == DType::kInt16) return std::numeric_limits<int16_t>::max();
  if (type == DType::kUint16) return std::numeric_limits<uint16_t>::max();
  if (type == DType::kInt32) return std::numeric_limits<int32_t>::max();
  return std::numeric_limits<int64_t>::max();
}

// The plan for finding the best element along `dimension`; indices are returned in `output_type`.
Result<ArgMaxPlan> PlanArgMax(const Shape& input, const Tensor& dimension, DType output_type) {
  ASSIGN_OR_RETURN(const int axis, AxisFrom(dimension, input.rank()));
  ArgMaxPlan plan;
  plan.axis = input.dim(axis);
  if (plan.axis == 0) {
    return InvalidArgument("Reduction axis ", axis, " is empty in shape ", input);
  }
  if (plan.axis - 1 > LargestIndex(output_type)) {
    return InvalidArgument("indices along axis ", axis, " of shape ", input, " do not fit in ",
                           DTypeName(output_type));
  }
  std::vector<int64_t> dims = input.dims();
  dims.erase(dims.begin() + axis);
  ASSIGN_OR_RETURN(plan.output, Shape::Make(std::move(dims)));
  if (input.num_elements() == 0) return plan;
  for (int i = 0; i < axis; ++i) plan.outer *= input.dim(i);
  for (int i = axis + 1; i < input.rank(); ++i) plan.inner *= input.dim(i);
  return plan;
}

struct Larger {
  template <typename C>
  static C Worst() {
    using Limits = std::numeric_limits<C>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <typename C>
  static bool Better(C a, C b) { return a > b; }
};

struct Smaller {
  template <typename C>
  static C Worst() {
    using Limits = std::numeric_limits<C>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <typename C>
  static bool Better(C a, C b) { return a < b; }
};

// The best rows of `columns` columns side by side.
template <typename Order, typename T>
void SearchColumns(const T* x, int64_t rows, int64_t stride, int64_t columns, int64_t* found) {
  using C = ComputeTypeOf<T>;
  C best[kColumns];
  std::fill_n(best, columns, Order::template Worst<C>());
  std::fill_n(found, columns, 0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t j = 0; j < columns; ++j) {
      const C value = C(x[row * stride + j]);
      const bool better = Order::Better(value, best[j]);
      best[j] = better ? value : best[j];
      found[j] = better ? row : found[j];
    }
  }
}

void Store(const int64_t* found, int64_t count, int64_t at, Tensor* output) {
  switch (output->dtype()) {
    case DType::kInt16: std::copy_n(found, count, output->mutable_data<int16_t>() + at); break;
    case DType::kUint16: std::copy_n(found, count, output->mutable_data<uint16_t>() + at); break;
    case DType::kInt32: std::copy_n(found, count, output->mutable_data<int32_t>() + at); break;
    default: std::copy_n(found, count, output->mutable_data<int64_t>() + at); break;
  }
}

template <typename Order, typename T>
class ArgMaxOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(output_type_, construction.Attr<DType>("output_type"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const ArgMaxPlan plan,
                     PlanArgMax(input.shape(), context->input(1), output_type_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
    if (plan.output.num_elements() == 0) return OkStatus();
    const int64_t strips = (plan.inner + kColumns - 1) / kColumns;
    const int64_t work = plan.axis * std::min(plan.inner, kColumns);
    const T* x = input.data<T>();
    ParallelFor(plan.outer * strips, std::max<int64_t>(1, kArgmaxGrain / work),
                [&](int64_t begin, int64_t end) {
      int64_t found[kColumns];
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t outer = unit / strips;
        const int64_t column = unit % strips * kColumns;
        const int64_t columns = std::min(kColumns, plan.inner - column);
        SearchColumns<Order>(x + outer * plan.axis * plan.inner + column, plan.axis, plan.inner,
                             columns, found);
        Store(found, columns, outer * plan.inner + column, output);
      }
    });
    return OkStatus();
  }

 private:
  DType output_type_ = DType::kInt64;
};

#define REGISTER(T)                                                               \
  REGISTER_KERNEL(Kernel("ArgMax").OnCpu().Type<T>("T"), ArgMaxOp<Larger, T>);    \
  REGISTER_KERNEL(Kernel("ArgMin").OnCpu().Type<T>("T"), ArgMaxOp<Smaller, T>);
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER(bool)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
