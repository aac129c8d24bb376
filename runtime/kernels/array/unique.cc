// Unique and UniqueWithCounts: the different elements of a vector in the order in which they first
// stand there, and for each element the place of its like.
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/stop.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status UniqueShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape input, context->WithRank(0, 1));
  for (int i = 0; i < context->num_outputs(); ++i) {
    context->set_output(i, i == 1 ? input : PartialShape::UnknownOfRank(1));
  }
  return OkStatus();
}

REGISTER_OP("Unique")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .ShapeFunction(UniqueShape);

REGISTER_OP("UniqueWithCounts")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Output("count: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .ShapeFunction(UniqueShape);

// What elements are compared by: 16-bit floats as floats. All NaNs differ, both zeros are equal.
template <typename T>
using KeyOf = ComputeTypeOf<T>;

// How they are copied: a vector of bool has no elements of its own.
template <typename T>
using Kept = std::conditional_t<std::is_same<T, bool>::value, uint8_t, T>;

template <typename Index>
Status SetNumbers(OpKernelContext* context, int output, const std::vector<int64_t>& numbers) {
  ASSIGN_OR_RETURN(Tensor * tensor, context->AllocateOutput(
                                        output, Shape{static_cast<int64_t>(numbers.size())}));
  Index* to = tensor->mutable_data<Index>();
  for (size_t i = 0; i < numbers.size(); ++i) to[i] = static_cast<Index>(numbers[i]);
  return OkStatus();
}

template <typename T, typename Index>
class UniqueOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    if (x.rank() != 1) {
      return InvalidArgument("unique expects a 1D vector, not a tensor of shape ", x.shape());
    }
    // Copied, as a fed array may change while it is read.
    const std::vector<Kept<T>> values(x.data<T>(), x.data<T>() + x.num_elements());
    std::unordered_map<KeyOf<T>, int64_t> place;
    std::vector<int64_t> first, places, counts;
    constexpr size_t kLook = 4096;  // elements between two looks whether to go on
    for (size_t i = 0; i < values.size(); ++i) {
      if (i % kLook == 0) ThrowIfStopped();
      const auto found = place.emplace(static_cast<KeyOf<T>>(T(values[i])),
                                       static_cast<int64_t>(first.size()));
      if (found.second) {
        first.push_back(static_cast<int64_t>(i));
        counts.push_back(0);
      }
      places.push_back(found.first->second);
      ++counts[static_cast<size_t>(places.back())];
    }
    ASSIGN_OR_RETURN(Tensor * y,
                     context->AllocateOutput(0, Shape{static_cast<int64_t>(first.size())}));
    T* to = y->mutable_data<T>();
    for (size_t i = 0; i < first.size(); ++i) to[i] = T(values[static_cast<size_t>(first[i])]);
    RETURN_IF_ERROR(SetNumbers<Index>(context, 1, places));
    return context->num_outputs() > 2 ? SetNumbers<Index>(context, 2, counts) : OkStatus();
  }
};

#define REGISTER_ONE(NAME, T, Index)                                                        \
  REGISTER_KERNEL(Kernel(NAME).OnCpu().Type<T>("T").Type<Index>("out_idx"), UniqueOp<SignedOf<T>, Index>);
#define REGISTER(T)                              \
  REGISTER_ONE("Unique", T, int32_t)             \
  REGISTER_ONE("Unique", T, int64_t)             \
  REGISTER_ONE("UniqueWithCounts", T, int32_t)   \
  REGISTER_ONE("UniqueWithCounts", T, int64_t)
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER(bool)
REGISTER(std::string)
#undef REGISTER
#undef REGISTER_ONE

// For a GPU on its host, as in TensorFlow: optimisers ask it beside the variable for which rows of it
// there are gradients, and the variable is to stay on the GPU.
#define REGISTER(T, Index)                                                                    \
  REGISTER_KERNEL(Kernel("Unique").OnGpu().Type<T>("T").Type<Index>("out_idx")                \
                      .HostMemory("x").HostMemory("y").HostMemory("idx"), UniqueOp<SignedOf<T>, Index>);
REGISTER(int32_t, int32_t)
REGISTER(int32_t, int64_t)
REGISTER(int64_t, int32_t)
REGISTER(int64_t, int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
