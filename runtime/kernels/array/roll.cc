// Roll: elements moved along some axes; what leaves at one end comes in at the other.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

Status RollShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  for (const int i : {1, 2}) {
    if (context->input(i).rank() > 1) {
      return InvalidArgument("shift and axis must be scalars or vectors, not ", context->input(i));
    }
  }
  return UnchangedShape(context);
}

REGISTER_OP("Roll")
    .Input("input: T")
    .Input("shift: Tshift")
    .Input("axis: Taxis")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshift: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .ShapeFunction(RollShape);

// By how many places each dimension is moved, in [0, size).
Result<std::vector<int64_t>> ShiftsOf(const Shape& shape, const Tensor& shift, const Tensor& axis) {
  if (shift.shape() != axis.shape()) {
    return InvalidArgument("shift and axis must have the same size, but have shapes ",
                           shift.shape(), " and ", axis.shape());
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> shifts, IntsFrom(shift));
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, IntsFrom(axis));
  std::vector<int64_t> moved(static_cast<size_t>(shape.rank()), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const Result<int> found = CanonicalAxis(axes[i], shape.rank());
    if (!found.ok()) return InvalidArgument("axis ", axes[i], " is out of range");
    const int64_t size = std::max<int64_t>(1, shape.dim(*found));
    int64_t& place = moved[static_cast<size_t>(*found)];
    place = (place + shifts[i] % size + size) % size;
  }
  return moved;
}

class RollOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    if (input.rank() < 1) return InvalidArgument("input must be 1-D or higher");
    ASSIGN_OR_RETURN(const std::vector<int64_t> shifts,
                     ShiftsOf(input.shape(), context->input(1), context->input(2)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    return CopyParts(context, shifts, 0, StridedCopy(), input, output);
  }

 private:
  // Each dimension that moves is two copies: what stays inside, and what comes in at the beginning.
  static Status CopyParts(OpKernelContext* context, const std::vector<int64_t>& shifts, size_t k,
                          const StridedCopy& before, const Tensor& input, Tensor* output) {
    if (k == shifts.size()) return RunStridedCopy(context, before, input, output);
    const int64_t size = input.shape().dims()[k];
    const int64_t stride = DenseStrides(input.shape().dims())[k];
    StridedCopy inside = before;
    inside.AddDim(size - shifts[k], stride, stride);
    inside.to += shifts[k] * stride;
    RETURN_IF_ERROR(CopyParts(context, shifts, k + 1, inside, input, output));
    if (shifts[k] == 0) return OkStatus();
    StridedCopy around = before;
    around.AddDim(shifts[k], stride, stride);
    around.from += (size - shifts[k]) * stride;
    return CopyParts(context, shifts, k + 1, around, input, output);
  }
};

REGISTER_KERNEL(Kernel("Roll").OnCpu(), RollOp);
REGISTER_KERNEL(Kernel("Roll").OnGpu().HostMemory("shift").HostMemory("axis"), RollOp);

}  // namespace
}  // namespace tfbuild
