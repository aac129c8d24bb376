// BatchMatMulV2: products of matrices that lie in the last two dimensions; the others broadcast.
#include "graph/shape_context.h"
#include "kernels/framework/gemm.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// The dimensions before the matrices.
PartialShape BatchOf(const PartialShape& shape) {
  return std::vector<int64_t>(shape.dims().begin(), shape.dims().end() - 2);
}

Status BatchMatMulShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 2));
  const PartialShape& x = context->input(0);
  const PartialShape& y = context->input(1);
  if (!x.known_rank() || !y.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const bool adj_x, context->Attr<bool>("adj_x"));
  ASSIGN_OR_RETURN(const bool adj_y, context->Attr<bool>("adj_y"));
  const int64_t inner_x = x.dim(x.rank() - (adj_x ? 2 : 1));
  const int64_t inner_y = y.dim(y.rank() - (adj_y ? 1 : 2));
  if (inner_x != inner_y && inner_x != kUnknownDim && inner_y != kUnknownDim) {
    return InvalidArgument("inner dimensions of a matrix product must be equal, but are ", inner_x,
                           " and ", inner_y, " for shapes ", x, " and ", y);
  }
  ASSIGN_OR_RETURN(const PartialShape batch, BroadcastShapes(BatchOf(x), BatchOf(y)));
  if (!batch.known_rank()) return OkStatus();
  std::vector<int64_t> output = batch.dims();
  output.push_back(x.dim(x.rank() - (adj_x ? 1 : 2)));
  output.push_back(y.dim(y.rank() - (adj_y ? 2 : 1)));
  context->set_output(0, std::move(output));
  return OkStatus();
}

REGISTER_OP("BatchMatMulV2")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int16, int32, int64, uint8, complex64, "
          "complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .ShapeFunction(BatchMatMulShape);

template <typename T>
class BatchMatMulOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    // Elements are real, so the adjoint is the transpose.
    ASSIGN_OR_RETURN(adj_x_, construction.Attr<bool>("adj_x"));
    ASSIGN_OR_RETURN(adj_y_, construction.Attr<bool>("adj_y"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    const Tensor& y = context->input(1);
    ASSIGN_OR_RETURN(const MatMulSizes sizes,
                     MakeMatMulSizes(x.shape(), y.shape(), adj_x_, adj_y_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, sizes.output_shape()));
    return product_.Run(context, sizes, x.data<T>(), y.data<T>(), output->mutable_data<T>());
  }

  bool IsExpensive() const override { return true; }

 private:
  bool adj_x_ = false;
  bool adj_y_ = false;
  MatrixProduct product_;
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("BatchMatMulV2").OnCpu().Type<T>("T"), BatchMatMulOp<T>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
