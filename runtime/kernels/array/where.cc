// Where: the coordinates of the elements that are not zero.
#include <algorithm>

#include "base/stop.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "tensor/half.h"

namespace tfbuild {
namespace {

Status WhereShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  const int64_t rank = input.known_rank() ? input.rank() : kUnknownDim;
  context->set_output(0, PartialShape({kUnknownDim, rank}));
  return OkStatus();
}

REGISTER_OP("Where")
    .Input("input: T")
    .Output("index: int64")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, bool, "
          "uint16, uint32, uint64} = DT_BOOL")
    .ShapeFunction(WhereShape);

template <typename T>
bool IsNotZero(T x) { return x != T(0); }
inline bool IsNotZero(bool x) { return x; }
inline bool IsNotZero(Half x) { return static_cast<float>(x) != 0; }
inline bool IsNotZero(BFloat16 x) { return static_cast<float>(x) != 0; }

template <typename T>
class WhereOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const T* values = input.data<T>();
    const int64_t count = input.num_elements();
    const int64_t found =
        std::count_if(values, values + count, [](T value) { return IsNotZero(value); });
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make({found, input.rank()}));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    int64_t* row = output->mutable_data<int64_t>();
    int64_t* const end = row + output->num_elements();
    // A fed array may change between the two passes: never more than was counted, nor less.
    constexpr int64_t kLook = 65536;  // elements between two looks whether to go on
    for (int64_t i = 0; i < count && row < end; ++i) {
      if (i % kLook == 0) ThrowIfStopped();
      if (!IsNotZero(values[i])) continue;
      int64_t rest = i;
      for (int axis = input.rank() - 1; axis >= 0; --axis) {
        row[axis] = rest % input.dim(axis);
        rest /= input.dim(axis);
      }
      row += input.rank();
    }
    std::fill(row, end, 0);
    return OkStatus();
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("Where").OnCpu().Type<T>("T"), WhereOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER(bool)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
