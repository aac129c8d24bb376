// OneHot: for each index a vector that is on_value there and off_value elsewhere.
#include "kernels/array/one_hot.h"

#include <algorithm>
#include <string>

#include "base/parallel.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "tensor/complex.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

Status OneHotShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  RETURN_IF_ERROR(context->WithRank(2, 0).status());
  RETURN_IF_ERROR(context->WithRank(3, 0).status());
  const PartialShape& indices = context->input(0);
  ASSIGN_OR_RETURN(const int64_t given, context->Attr<int64_t>("axis"));
  ASSIGN_OR_RETURN(const auto depth, KnownScalar(*context, 1));
  if (given < -1) return InvalidArgument("axis must be >= -1, not ", given);
  if (depth && *depth < 0) {
    return InvalidArgument("depth must be non-negative, got: ", *depth);
  }
  if (!indices.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const int axis, CanonicalAxis(given, indices.rank() + 1));
  std::vector<int64_t> dims = indices.dims();
  dims.insert(dims.begin() + axis, depth.value_or(kUnknownDim));
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("OneHot")
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Output("output: T")
    .Attr("axis: int = -1")
    .Attr("T: type")
    .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
    .ShapeFunction(OneHotShape);

constexpr int64_t kOneHotGrain = 32768;  // elements that are worth a thread

template <typename Index, typename E>
void SetOneHot(OpKernelContext* context, const OneHotPlan& plan, Tensor* output) {
  const Index* indices = context->input(0).data<Index>();
  const E on = *context->input(2).data<E>();
  const E off = *context->input(3).data<E>();
  E* out = output->mutable_data<E>();
  const int64_t block = plan.depth * plan.suffix;
  const int64_t grain = std::max<int64_t>(1, kOneHotGrain / block);
  ParallelFor(plan.prefix, grain, [&](int64_t begin, int64_t end) {
    std::fill(out + begin * block, out + end * block, off);
    for (int64_t i = begin * plan.suffix; i < end * plan.suffix; ++i) {
      const int64_t index = static_cast<int64_t>(indices[i]);
      if (index < 0 || index >= plan.depth) continue;  // such a vector is off everywhere
      out[i / plan.suffix * block + index * plan.suffix + i % plan.suffix] = on;
    }
  });
}

template <typename Index>
class OneHotOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(axis_, construction.Attr<int64_t>("axis"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const OneHotPlan plan,
                     PlanOneHot(context->input(0).shape(), context->input(1), axis_,
                                context->input(2).shape(), context->input(3).shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
    if (plan.output.num_elements() == 0) return OkStatus();
    if (output->dtype() == DType::kVariant) {
      SetOneHot<Index, Variant>(context, plan, output);
      return OkStatus();
    }
    switch (DTypeSize(output->dtype())) {
      case 0: SetOneHot<Index, std::string>(context, plan, output); break;
      case 1: SetOneHot<Index, uint8_t>(context, plan, output); break;
      case 2: SetOneHot<Index, uint16_t>(context, plan, output); break;
      case 4: SetOneHot<Index, uint32_t>(context, plan, output); break;
      case 8: SetOneHot<Index, uint64_t>(context, plan, output); break;
      default: SetOneHot<Index, std::complex<double>>(context, plan, output); break;
    }
    return OkStatus();
  }

 private:
  int64_t axis_ = -1;
};

#define REGISTER(TI) REGISTER_KERNEL(Kernel("OneHot").OnCpu().Type<TI>("TI"), OneHotOp<TI>);
REGISTER(uint8_t)
REGISTER(int8_t)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace

Result<OneHotPlan> PlanOneHot(const Shape& indices, const Tensor& depth, int64_t axis,
                              const Shape& on_value, const Shape& off_value) {
  if (on_value.rank() != 0 || off_value.rank() != 0) {
    return InvalidArgument("on_value and off_value must be scalars, not of shapes ", on_value,
                           " and ", off_value);
  }
  OneHotPlan plan;
  ASSIGN_OR_RETURN(plan.depth, ScalarFrom(depth, "depth"));
  if (plan.depth < 0) return InvalidArgument("depth must be non-negative, got: ", plan.depth);
  if (axis < -1 || axis > indices.rank()) {
    return InvalidArgument("Expected axis to be -1 or between [0, ", indices.rank() + 1,
                           "). But received: ", axis);
  }
  const int at = axis == -1 ? indices.rank() : static_cast<int>(axis);
  std::vector<int64_t> dims = indices.dims();
  dims.insert(dims.begin() + at, plan.depth);
  ASSIGN_OR_RETURN(plan.output, Shape::Make(std::move(dims)));
  if (plan.output.num_elements() == 0) return plan;
  for (int k = 0; k < indices.rank(); ++k) (k < at ? plan.prefix : plan.suffix) *= indices.dim(k);
  return plan;
}

}  // namespace tfbuild
