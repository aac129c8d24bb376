// CheckNumerics: the tensor itself, unless some of its elements are no finite numbers.
#include <cmath>
#include <string>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("CheckNumerics")
    .Input("tensor: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("message: string")
    .Stateful()
    .ShapeFunction(UnchangedShape);

template <typename T>
class CheckNumericsOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(message_, construction.Attr<std::string>("message"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const T* values = input.data<T>();
    bool inf = false, nan = false;
    for (int64_t i = 0; i < input.num_elements(); ++i) {
      const ComputeTypeOf<T> value = values[i];
      inf |= std::isinf(value);
      nan |= std::isnan(value);
    }
    if (inf || nan) {
      return InvalidArgument(message_, " : Tensor had ",
                             inf && nan ? "Inf and NaN" : inf ? "Inf" : "NaN", " values");
    }
    context->SetOutput(0, input);
    return OkStatus();
  }

 private:
  std::string message_;
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("CheckNumerics").OnCpu().Type<T>("T"), CheckNumericsOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
