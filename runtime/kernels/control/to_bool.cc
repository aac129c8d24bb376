// ToBool: what a condition means that is no truth value: a number other than zero, a string that is
// not empty, and of an array whether it has elements.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("ToBool").Input("input: T").Output("output: bool").Attr("T: type").ShapeFunction(
    ScalarShape);

template <typename T>
class ToBoolOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const bool value = input.rank() > 0 ? input.num_elements() > 0 : IsTrue(*input.data<T>());
    context->SetOutput(0, Tensor::Scalar<bool>(value));
    return OkStatus();
  }

 private:
  static bool IsTrue(const std::string& text) { return !text.empty(); }
  template <typename Number>
  static bool IsTrue(const Number& number) {
    return static_cast<float>(number) != 0.0f;
  }
  static bool IsTrue(double number) { return number != 0.0; }
  static bool IsTrue(int32_t number) { return number != 0; }
  static bool IsTrue(int64_t number) { return number != 0; }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("ToBool").OnCpu().Type<T>("T"), ToBoolOp<T>);
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER(bool)
REGISTER(std::string)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
