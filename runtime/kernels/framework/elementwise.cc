#include "kernels/framework/elementwise.h"

#include "base/parallel.h"
#include "kernels/framework/broadcast.h"
#include "kernels/framework/element_inputs.h"

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

// Of rows that are shorter several are computed at once, but where there are so few that writing the
// other operand out takes longer.
constexpr int64_t kLongRow = 2048;
constexpr int64_t kFewRows = 4;

// Which operand is one row, the same beside each of the other's, whose elements are the result's; -1: none.
int RowOperand(const BroadcastPlan& plan) {
  if (plan.dims.size() != 2) return -1;
  for (const int row : {0, 1}) {
    const std::vector<int64_t>& of_row = plan.strides[static_cast<size_t>(row)];
    const std::vector<int64_t>& of_other = plan.strides[static_cast<size_t>(1 - row)];
    if (of_row[0] == 0 && of_row[1] == 1 && of_other[0] == plan.dims[1] && of_other[1] == 1) return row;
  }
  return -1;
}

// Each row of one operand beside the one row of the other.
Status RunRows(OpKernelContext* context, BinaryCall call, const BroadcastPlan& plan, int row,
               int64_t grain) {
  const int64_t width = plan.dims[1];
  const int64_t count = std::min(plan.dims[0], kLongRow / width) * width;
  ASSIGN_OR_RETURN(const Tensor often, WriteOften(context, context->input(row), count));
  (row == 0 ? call.x : call.y) = often.data<char>();
  ParallelFor(plan.output.num_elements(), grain, [&](int64_t begin, int64_t end) {
    const int64_t column = begin % width;  // that of each piece, as pieces are whole rows long
    for (; begin < end; begin += count) {
      const int64_t x = row == 0 ? column : begin;
      const int64_t y = row == 1 ? column : begin;
      call.loop(call.x + x * call.in_size, call.y + y * call.in_size,
                call.z + begin * call.out_size, std::min(count, end - begin), Operands::kBoth);
    }
  });
  return OkStatus();
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

Status RunBroadcast(OpKernelContext* context, const BroadcastPlan& plan, BinaryLoop loop,
                    int64_t grain, Tensor* output) {
  const BinaryCall call = MakeCall(context, loop, output);
  const int row = RowOperand(plan);
  const bool many = row >= 0 && plan.dims[0] >= kFewRows && plan.dims[1] <= kLongRow / 2;
  if (many && context->input(row).dtype() != DType::kString) {
    return RunRows(context, call, plan, row, grain);
  }
  RunPlan(call, plan, grain);
  return OkStatus();
}

Status ComputeBinary(OpKernelContext* context, BinaryLoop loop, int64_t grain) {
  const Shape& x = context->input(0).shape();
  const Shape& y = context->input(1).shape();
  if (x == y || y.rank() == 0) return ComputeFlat(context, loop, grain, 0);
  if (x.rank() == 0) return ComputeFlat(context, loop, grain, 1);
  ASSIGN_OR_RETURN(const BroadcastPlan plan, PlanBroadcast({&x, &y}));
  ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0, 1}, 0, plan.output));
  return RunBroadcast(context, plan, loop, grain, output);
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
