// AddN: the sum of tensors of one shape.
#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "kernels/framework/variant_sum.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status AddNShape(ShapeContext* context) {
  PartialShape merged;
  for (int i = 0; i < context->num_inputs(); ++i) {
    ASSIGN_OR_RETURN(merged, merged.MergeWith(context->input(i)));
  }
  context->set_output(0, std::move(merged));
  return OkStatus();
}

REGISTER_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, "
          "complex128, half, variant, uint16, uint32, uint64}")
    .ShapeFunction(AddNShape);

constexpr int64_t kBlock = 1024;  // elements that stay in the first-level cache meanwhile

template <typename T>
class AddNOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    const int count = context->num_inputs();
    for (int i = 1; i < count; ++i) {
      if (context->input(i).shape() == shape) continue;
      return InvalidArgument("Inputs to AddN must have the same shape. Input 0: ", shape,
                             " != input ", i, ": ", context->input(i).shape());
    }
    if (count == 1) {
      context->SetOutput(0, context->input(0));
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * sum, context->ForwardOrAllocateOutput({0}, 0, shape));
    T* out = sum->mutable_data<T>();
    ParallelFor(shape.num_elements(), kCheapGrain, [=](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; at += kBlock) {
        AddBlock(context, at, std::min(kBlock, end - at), out + at);
      }
    });
    return OkStatus();
  }

 private:
  // In the type in which arithmetic is done, so that half rounds once and not at every step.
  static void AddBlock(OpKernelContext* context, int64_t at, int64_t length, T* out) {
    using C = ComputeTypeOf<T>;
    C sums[kBlock];
    const T* first = context->input(0).data<T>() + at;
    for (int64_t j = 0; j < length; ++j) sums[j] = C(first[j]);
    for (int i = 1; i < context->num_inputs(); ++i) {
      const T* x = context->input(i).data<T>() + at;
      for (int64_t j = 0; j < length; ++j) sums[j] = functor::Add::Apply(sums[j], C(x[j]));
    }
    for (int64_t j = 0; j < length; ++j) out[j] = static_cast<T>(sums[j]);
  }
};

class AddVariantsOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    Tensor sum = context->input(0);
    for (int i = 1; i < context->num_inputs(); ++i) {
      ASSIGN_OR_RETURN(sum, HostSum(sum, context->input(i)));
    }
    context->SetOutput(0, std::move(sum));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("AddN").OnCpu().Type<Variant>("T"), AddVariantsOp);
#define REGISTER(T) REGISTER_KERNEL(Kernel("AddN").OnCpu().Type<T>("T"), AddNOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
