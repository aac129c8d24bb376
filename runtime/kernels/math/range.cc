// Range: start, start + delta, start + 2 * delta, ... up to but without limit.
#include <cmath>
#include <type_traits>

#include "base/stop.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// How many numbers there are; InvalidArgument when they would never reach the limit.
template <typename T>
Result<int64_t> CountOf(const Tensor& start_tensor, const Tensor& limit_tensor,
                        const Tensor& delta_tensor) {
  using C = ComputeTypeOf<T>;
  const C start = C(*start_tensor.data<T>());
  const C limit = C(*limit_tensor.data<T>());
  const C delta = C(*delta_tensor.data<T>());
  if (delta == 0) return InvalidArgument("Requires delta != 0: ", +delta);
  if (delta > 0 ? start > limit : start < limit) {
    return InvalidArgument("Requires start ", delta > 0 ? "<=" : ">=", " limit when delta ",
                           delta > 0 ? ">" : "<", " 0: ", +start, "/", +limit);
  }
  double count;
  if constexpr (std::is_integral<C>::value) {
    // In unsigned arithmetic, where the distance between any two numbers fits.
    const uint64_t span = delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                    : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta)
                                    : uint64_t{0} - static_cast<uint64_t>(delta);
    count = static_cast<double>(span / step + (span % step != 0 ? 1 : 0));
  } else {
    count = std::ceil(std::abs((static_cast<double>(limit) - start) / delta));
  }
  if (!(count <= static_cast<double>(kMaxElements))) {  // NaN, too
    return InvalidArgument("a range from ", +start, " to ", +limit, " by ", +delta,
                           " has too many elements");
  }
  return static_cast<int64_t>(count);
}

Result<int64_t> CountOf(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  for (const Tensor* value : {&start, &limit, &delta}) {
    if (value->num_elements() != 1 || value->rank() > 1) {
      return InvalidArgument("start, limit and delta must be scalars, not of shape ",
                             value->shape());
    }
  }
  switch (start.dtype()) {
#define CASE(T) \
  case DTypeOf<T>::value: return CountOf<T>(start, limit, delta);
    TFBUILD_ARITHMETIC_TYPES(CASE)
    CASE(int8_t)
    CASE(int16_t)
#undef CASE
    default: return Unimplemented("no Range of type ", DTypeName(start.dtype()));
  }
}

Status RangeShape(ShapeContext* context) {
  int64_t count = kUnknownDim;
  const Tensor* start = context->input_tensor(0);
  const Tensor* limit = context->input_tensor(1);
  const Tensor* delta = context->input_tensor(2);
  if (start != nullptr && limit != nullptr && delta != nullptr) {
    ASSIGN_OR_RETURN(count, CountOf(*start, *limit, *delta));
  }
  context->set_output(0, PartialShape({count}));
  return OkStatus();
}

REGISTER_OP("Range")
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64} = DT_INT32")
    .ShapeFunction(RangeShape);

template <typename T>
class RangeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t count,
                     CountOf(context->input(0), context->input(1), context->input(2)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{count}));
    using C = ComputeTypeOf<T>;
    const C start = C(*context->input(0).data<T>());
    const C delta = C(*context->input(2).data<T>());
    T* out = output->mutable_data<T>();
    constexpr int64_t kLook = 65536;  // elements between two looks whether to go on
    for (int64_t i = 0; i < count; ++i) {
      if (i % kLook == 0) ThrowIfStopped();
      // All terms lie before the limit, so integers cannot overflow in 64 bits but in the product.
      if constexpr (std::is_integral<C>::value) {
        out[i] = static_cast<T>(static_cast<uint64_t>(start) +
                                static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
      } else {
        out[i] = static_cast<T>(start + static_cast<C>(i) * delta);
      }
    }
    return OkStatus();
  }
};

#define REGISTER(T)                                                         \
  REGISTER_KERNEL(Kernel("Range").OnCpu().Type<T>("Tidx"), RangeOp<T>);     \
  REGISTER_KERNEL(Kernel("Range")                                           \
                      .OnGpu()                                              \
                      .Type<T>("Tidx")                                      \
                      .HostMemory("start")                                  \
                      .HostMemory("limit")                                  \
                      .HostMemory("delta")                                  \
                      .HostMemory("output"),                                \
                  RangeOp<T>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
REGISTER(int8_t)
REGISTER(int16_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
