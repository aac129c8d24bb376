#include "kernels/framework/elementwise.h"

#include "base/parallel.h"
#include "kernels/framework/broadcast.h"

namespace tfbuild {
namespace {

int64_t ElementSize(DType dtype) {
  return dtype == DType::kString ? static_cast<int64_t>(sizeof(std::string)) : DTypeSize(dtype);
}

struct BinaryCall {
  BinaryLoop loop;
  const char* x;
  const char* y;
  char* z;
  int64_t in_size;   // bytes of an element
  int64_t out_size;
};

// Shapes are equal or one operand is a single element: one loop over all.
void RunFlat(const BinaryCall& call, int64_t count, Operands operands, int64_t grain) {
  const int64_t x_step = operands == Operands::kOnlyRight ? 0 : call.in_size;
  const int64_t y_step = operands == Operands::kOnlyLeft ? 0 : call.in_size;
  ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    call.loop(call.x + begin * x_step, call.y + begin * y_step, call.z + begin * call.out_size,
              end - begin, operands);
  });
}

void RunPlan(const BinaryCall& call, const BroadcastPlan& plan, int64_t grain) {
  const bool x_moves = plan.strides[0].back() != 0;
  const bool y_moves = plan.strides[1].back() != 0;
  const Operands operands = x_moves && y_moves ? Operands::kBoth
                            : x_moves          ? Operands::kOnlyLeft
                                               : Operands::kOnlyRight;
  ParallelFor(plan.output.num_elements(), grain, [&](int64_t begin, int64_t end) {
    ForEachRow(plan, begin, end, [&](int64_t at, const int64_t* offsets, int64_t count) {
      call.loop(call.x + offsets[0] * call.in_size, call.y + offsets[1] * call.in_size,
                call.z + at * call.out_size, count, operands);
    });
  });
}

BinaryCall MakeCall(OpKernelContext* context, BinaryLoop loop, Tensor* output) {
  const Tensor& x = context->input(0);
  return {loop,
          x.data<char>(),
          context->input(1).data<char>(),
          output->mutable_data<char>(),
          ElementSize(x.dtype()),
          ElementSize(output->dtype())};
}

Status ComputeFlat(OpKernelContext* context, BinaryLoop loop, int64_t grain, int shaped) {
  const Shape& shape = context->input(shaped).shape();
  const bool same = context->input(1 - shaped).shape() == shape;
  const Operands operands = same          ? Operands::kBoth
                            : shaped == 0 ? Operands::kOnlyLeft
                                          : Operands::kOnlyRight;
  const int64_t count = shape.num_elements();
  ASSIGN_OR_RETURN(Tensor * output,
                   context->ForwardOrAllocateOutput({shaped, 1 - shaped}, 0, shape));
  RunFlat(MakeCall(context, loop, output), count, operands, grain);
  return OkStatus();
}

}  // namespace

Status ComputeBinary(OpKernelContext* context, BinaryLoop loop, int64_t grain) {
  const Shape& x = context->input(0).shape();
  const Shape& y = context->input(1).shape();
  if (x == y || y.rank() == 0) return ComputeFlat(context, loop, grain, 0);
  if (x.rank() == 0) return ComputeFlat(context, loop, grain, 1);
  ASSIGN_OR_RETURN(const BroadcastPlan plan, PlanBroadcast({&x, &y}));
  ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0, 1}, 0, plan.output));
  RunPlan(MakeCall(context, loop, output), plan, grain);
  return OkStatus();
}

Status ComputeSameShape(OpKernelContext* context, BinaryLoop loop, int64_t grain) {
  const Shape& x = context->input(0).shape();
  const Shape& y = context->input(1).shape();
  if (x != y) return InvalidArgument("inputs must have the same shape, not ", x, " and ", y);
  return ComputeFlat(context, loop, grain, 0);
}

Status ComputeUnary(OpKernelContext* context, UnaryLoop loop, int64_t grain) {
  const Tensor& x = context->input(0);
  ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
  const char* from = x.data<char>();
  char* to = output->mutable_data<char>();
  const int64_t in_size = ElementSize(x.dtype());
  const int64_t out_size = ElementSize(output->dtype());
  ParallelFor(x.num_elements(), grain, [=](int64_t begin, int64_t end) {
    loop(from + begin * in_size, to + begin * out_size, end - begin);
  });
  return OkStatus();
}

}  // namespace tfbuild
