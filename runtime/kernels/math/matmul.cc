// MatMul: the product of two matrices, either of them transposed on the way.
#include "graph/shape_context.h"
#include "kernels/framework/gemm.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status MatMulShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape a, context->WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape b, context->WithRank(1, 2));
  ASSIGN_OR_RETURN(const bool transpose_a, context->Attr<bool>("transpose_a"));
  ASSIGN_OR_RETURN(const bool transpose_b, context->Attr<bool>("transpose_b"));
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1);
  const int64_t inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a != inner_b && inner_a != kUnknownDim && inner_b != kUnknownDim) {
    return InvalidArgument("inner dimensions of a matrix product must be equal, but are ", inner_a,
                           " and ", inner_b, " for shapes ", a, " and ", b);
  }
  context->set_output(0, {a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
  return OkStatus();
}

REGISTER_OP("MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {bfloat16, half, float, double, int32, int64, uint8, complex64, complex128}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .ShapeFunction(MatMulShape);

template <typename T>
class MatMulOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(transpose_a_, construction.Attr<bool>("transpose_a"));
    ASSIGN_OR_RETURN(transpose_b_, construction.Attr<bool>("transpose_b"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    if (a.rank() != 2 || b.rank() != 2) {
      return InvalidArgument("MatMul takes matrices, not ", a.shape(), " and ", b.shape());
    }
    ASSIGN_OR_RETURN(const MatMulSizes sizes,
                     MakeMatMulSizes(a.shape(), b.shape(), transpose_a_, transpose_b_));
    ASSIGN_OR_RETURN(Tensor * product, context->AllocateOutput(0, sizes.output_shape()));
    return product_.Run(context, sizes, a.data<T>(), b.data<T>(), product->mutable_data<T>());
  }

  bool IsExpensive() const override { return true; }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
  MatrixProduct product_;
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("MatMul").OnCpu().Type<T>("T"), MatMulOp<T>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
