// MatMul: the product of two matrices, either of them transposed on the way. _MatMulChain: and then
// elementwise ops; _FusedMatMul: and then what a GPU's library does in the same call. The pass `fuse`
// makes both.
#include "graph/shape_context.h"
#include "kernels/framework/element_program.h"
#include "kernels/framework/epilogue.h"
#include "kernels/framework/gemm.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Result<PartialShape> ProductShape(ShapeContext* context) {
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
  return PartialShape{a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)};
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
    .ShapeFunction([](ShapeContext* context) -> Status {
      ASSIGN_OR_RETURN(PartialShape shape, ProductShape(context));
      context->set_output(0, std::move(shape));
      return OkStatus();
    });

REGISTER_OP("_MatMulChain")
    .Input("a: T")
    .Input("b: T")
    .Input("args: N * T")
    .Output("output: T")
    .Attr("N: int >= 0")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {bfloat16, half, float, double, int32, int64, uint8}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .Attr("ops: list(string)")
    .Attr("operands: list(int)")
    .ShapeFunction([](ShapeContext* context) -> Status {
      ASSIGN_OR_RETURN(PartialShape shape, ProductShape(context));
      return ElementEpilogue::InferShape(context, std::move(shape), 2);
    });

REGISTER_OP("_FusedMatMul")
    .Input("a: T")
    .Input("b: T")
    .Input("args: num_args * T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .Attr("num_args: int >= 0")
    .Attr("fused_ops: list(string) = []")
    .ShapeFunction([](ShapeContext* context) -> Status {
      ASSIGN_OR_RETURN(PartialShape shape, ProductShape(context));
      return InferEpilogue(context, std::move(shape), 1);
    });

class MatMulBase : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(transpose_a_, construction.Attr<bool>("transpose_a"));
    ASSIGN_OR_RETURN(transpose_b_, construction.Attr<bool>("transpose_b"));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 protected:
  Result<MatMulSizes> Sizes(OpKernelContext* context) const {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    if (a.rank() != 2 || b.rank() != 2) {
      return InvalidArgument("MatMul takes matrices, not ", a.shape(), " and ", b.shape());
    }
    return MakeMatMulSizes(a.shape(), b.shape(), transpose_a_, transpose_b_);
  }

  MatrixProduct product_;

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

template <typename T>
class MatMulOp final : public MatMulBase {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const MatMulSizes sizes, Sizes(context));
    ASSIGN_OR_RETURN(Tensor * product, context->AllocateOutput(0, sizes.output_shape()));
    return product_.Run(context, sizes, context->input(0).data<T>(), context->input(1).data<T>(),
                        product->mutable_data<T>());
  }
};

template <typename T>
class MatMulChainOp final : public MatMulBase {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(epilogue_.Init(construction, 2));
    return MatMulBase::Init(construction);
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const MatMulSizes sizes, Sizes(context));
    const auto multiply = [&](Tensor* product, const ElementRun* then) {
      return product_.Run(context, sizes, context->input(0).data<T>(),
                          context->input(1).data<T>(), product->mutable_data<T>(), then);
    };
    return epilogue_.Run(context, sizes.output_shape(), multiply);
  }

 private:
  ElementEpilogue epilogue_;
};

#define REGISTER(T)                                                     \
  REGISTER_KERNEL(Kernel("MatMul").OnCpu().Type<T>("T"), MatMulOp<T>); \
  REGISTER_KERNEL(Kernel("_MatMulChain").OnCpu().Type<T>("T"), MatMulChainOp<T>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
