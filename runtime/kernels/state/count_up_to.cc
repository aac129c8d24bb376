// CountUpTo: what a variable holds, and one more for the next step, until it has reached a limit.
#include "graph/shape_context.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status CountShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape scalar, context->WithRank(0, 0));
  context->set_output(0, std::move(scalar));
  return OkStatus();
}

REGISTER_OP("CountUpTo")
    .Input("ref: Ref(T)")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .ShapeFunction(CountShape);

REGISTER_OP("ResourceCountUpTo")
    .Input("resource: resource")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .Stateful()
    .ShapeFunction(ScalarShape);

template <typename T>
class CountUpToOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(limit_, construction.Attr<int64_t>("limit"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    if (values[0]->rank() != 0) {
      return InvalidArgument("input is not a scalar but has the shape ", values[0]->shape());
    }
    T* value = values[0]->mutable_data<T>();
    if (*value >= limit_) {
      return Status(Code::kOutOfRange, StrCat("Reached limit of ", limit_));
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{}));
    *output->mutable_data<T>() = (*value)++;
    return OkStatus();
  }

 private:
  int64_t limit_ = 0;
};

#define REGISTER(T)                                                              \
  REGISTER_KERNEL(Kernel("CountUpTo").OnCpu().Type<T>("T"), CountUpToOp<T>);     \
  REGISTER_KERNEL(Kernel("ResourceCountUpTo").OnCpu().Type<T>("T"), CountUpToOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
