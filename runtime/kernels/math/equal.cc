// Equal and NotEqual with broadcasting.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

// Without incompatible_shape_error, operands that do not broadcast together compare to one bool.
Status EqualShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const bool strict, context->Attr<bool>("incompatible_shape_error"));
  const PartialShape& x = context->input(0);
  const PartialShape& y = context->input(1);
  const Result<PartialShape> shape = BroadcastShapes(x, y);
  if (strict && !shape.ok()) return shape.status();
  if (strict || (shape.ok() && x.fully_known() && y.fully_known())) {
    context->set_output(0, *shape);
  } else if (!shape.ok()) {
    context->set_output(0, Shape{});
  }
  return OkStatus();
}

REGISTER_OP("Equal")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: type")
    .Attr("incompatible_shape_error: bool = true")
    .ShapeFunction(EqualShape);

REGISTER_OP("NotEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: type")
    .Attr("incompatible_shape_error: bool = true")
    .ShapeFunction(EqualShape);

template <BinaryLoop loop, bool kWhenIncompatible>
class EqualOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(strict_, construction.Attr<bool>("incompatible_shape_error"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Shape& x = context->input(0).shape();
    const Shape& y = context->input(1).shape();
    if (!strict_ && x != y && !BroadcastShapes(x, y).ok()) {
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{}));
      *output->mutable_data<bool>() = kWhenIncompatible;
      return OkStatus();
    }
    return ComputeBinary(context, loop, kCheapGrain);
  }

 private:
  bool strict_ = true;
};

struct SameText {
  static bool Apply(const std::string& x, const std::string& y) { return x == y; }
};
struct OtherText {
  static bool Apply(const std::string& x, const std::string& y) { return x != y; }
};

#define REGISTER_AS(T, SAME, OTHER)                         \
  REGISTER_KERNEL(Kernel("Equal").OnCpu().Type<T>("T"),     \
                  EqualOp<RunBinary<SAME, SignedOf<T>, bool>, false>); \
  REGISTER_KERNEL(Kernel("NotEqual").OnCpu().Type<T>("T"),  \
                  EqualOp<RunBinary<OTHER, SignedOf<T>, bool>, true>);
#define REGISTER(T) REGISTER_AS(T, functor::Equal, functor::NotEqual)
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER(bool)
REGISTER_AS(std::string, SameText, OtherText)
#undef REGISTER
#undef REGISTER_AS

}  // namespace
}  // namespace tfbuild
