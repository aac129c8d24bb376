// Select and SelectV2: elements of t where the condition holds, else of e.
#include <string>
#include <type_traits>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/broadcast.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/vector_target.h"
#include "tensor/complex.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

Status SelectShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input(1).MergeWith(context->input(2)));
  const PartialShape& condition = context->input(0);
  if (condition.rank() > 1) {
    ASSIGN_OR_RETURN(shape, shape.MergeWith(condition));
  }
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status SelectV2Shape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape values,
                   BroadcastShapes(context->input(1), context->input(2)));
  ASSIGN_OR_RETURN(PartialShape shape, BroadcastShapes(context->input(0), values));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("Select")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .ShapeFunction(SelectShape);

REGISTER_OP("SelectV2")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .ShapeFunction(SelectV2Shape);

// Condition, t and e broadcast together.
Result<BroadcastPlan> PlanSelectV2(const Shape& condition, const Shape& t, const Shape& e) {
  Result<BroadcastPlan> plan = PlanBroadcast({&condition, &t, &e});
  if (plan.ok()) return plan;
  return InvalidArgument("condition ", condition, ", then ", t, ", and else ", e,
                         " must be broadcastable");
}

// t and e have one shape, and the condition has it too, or is a scalar, or a vector that chooses
// among their rows.
Result<BroadcastPlan> PlanSelect(const Shape& condition, const Shape& t, const Shape& e) {
  if (t != e) {
    return InvalidArgument("'then' and 'else' must have the same shape, but received: ", t, " vs. ",
                           e);
  }
  const bool rows = condition.rank() == 1 && t.rank() > 1 && condition.dim(0) == t.dim(0);
  if (!rows && condition.rank() != 0 && condition != t) {
    return InvalidArgument("condition of shape ", condition, " fits neither the shape ", t,
                           " of 'then' nor its first dimension");
  }
  if (!rows) return PlanBroadcast({&condition, &t, &e});
  std::vector<int64_t> column(static_cast<size_t>(t.rank()), 1);
  column[0] = condition.dim(0);
  ASSIGN_OR_RETURN(const Shape upright, Shape::Make(std::move(column)));
  return PlanBroadcast({&upright, &t, &e});
}

constexpr int64_t kSelectGrain = 32768;  // elements that are worth a thread

struct Row {
  const bool* condition;
  int64_t condition_stride;
  int64_t t_stride;
  int64_t e_stride;
  int64_t count;
};

// A stride is 1, or 0 for one element that stands for all.
template <bool kOneT, bool kOneE>
struct SelectLoop {
  template <int kVectorBytes, typename E>
  static TFBUILD_ALWAYS_INLINE void Run(const bool* condition, const E* t, const E* e, E* out,
                                        int64_t count) {
    const E one_t = t[0];
    const E one_e = e[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      const E chosen = kOneT ? one_t : t[i];
      const E other = kOneE ? one_e : e[i];
      out[i] = condition[i] ? chosen : other;
    }
  }
};

template <typename E>
void SelectRow(const Row& row, const E* t, const E* e, E* out) {
  if constexpr (std::is_integral<E>::value) {
    if (row.condition_stride == 1 && row.count > 0) {
      const bool* const condition = row.condition;
      if (row.t_stride == 1 && row.e_stride == 1) {
        return RunVectorised<SelectLoop<false, false>, E>(condition, t, e, out, row.count);
      }
      if (row.t_stride == 1) {
        return RunVectorised<SelectLoop<false, true>, E>(condition, t, e, out, row.count);
      }
      if (row.e_stride == 1) {
        return RunVectorised<SelectLoop<true, false>, E>(condition, t, e, out, row.count);
      }
    }
  }
  for (int64_t i = 0; i < row.count; ++i) {
    out[i] = row.condition[i * row.condition_stride] ? t[i * row.t_stride] : e[i * row.e_stride];
  }
}

template <typename E>
void SelectElements(OpKernelContext* context, const BroadcastPlan& plan, Tensor* output) {
  const bool* condition = context->input(0).data<bool>();
  const E* t = context->input(1).data<E>();
  const E* e = context->input(2).data<E>();
  E* out = output->mutable_data<E>();
  const auto run = [&](int64_t at, const int64_t* offsets, int64_t count) {
    const Row row{condition + offsets[0], plan.strides[0].back(), plan.strides[1].back(),
                  plan.strides[2].back(), count};
    SelectRow(row, t + offsets[1], e + offsets[2], out + at);
  };
  ParallelFor(plan.output.num_elements(), kSelectGrain, [&](int64_t begin, int64_t end) {
    ForEachRow(plan, begin, end, run);
  });
}

using Planner = Result<BroadcastPlan> (*)(const Shape&, const Shape&, const Shape&);

template <Planner planner>
class SelectOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& t = context->input(1);
    ASSIGN_OR_RETURN(const BroadcastPlan plan, planner(context->input(0).shape(), t.shape(),
                                                       context->input(2).shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({1, 2}, 0, plan.output));
    if (output->dtype() == DType::kVariant) {
      SelectElements<Variant>(context, plan, output);
      return OkStatus();
    }
    switch (DTypeSize(output->dtype())) {
      case 0: SelectElements<std::string>(context, plan, output); break;
      case 1: SelectElements<uint8_t>(context, plan, output); break;
      case 2: SelectElements<uint16_t>(context, plan, output); break;
      case 4: SelectElements<uint32_t>(context, plan, output); break;
      case 8: SelectElements<uint64_t>(context, plan, output); break;
      default: SelectElements<std::complex<double>>(context, plan, output); break;
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Select").OnCpu(), SelectOp<PlanSelect>);
REGISTER_KERNEL(Kernel("SelectV2").OnCpu(), SelectOp<PlanSelectV2>);

}  // namespace
}  // namespace tfbuild
