// Qr: a matrix as the product of an orthogonal one and of a triangle.
#include "kernels/linalg/matrix.h"
#include "linalg/factors.h"

namespace tfbuild {
namespace {

Status QrShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const bool full, context->Attr<bool>("full_matrices"));
  const int64_t rows = input.dim(input.rank() - 2), columns = input.dim(input.rank() - 1);
  int64_t inner = rows;
  if (!full) inner = rows == kUnknownDim || columns == kUnknownDim ? kUnknownDim
                                                                   : std::min(rows, columns);
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end() - 2);
  std::vector<int64_t> q = dims, r = dims;
  q.insert(q.end(), {rows, inner});
  r.insert(r.end(), {inner, columns});
  context->set_output(0, PartialShape(q));
  context->set_output(1, PartialShape(r));
  return OkStatus();
}

REGISTER_OP("Qr")
    .Input("input: T")
    .Output("q: T")
    .Output("r: T")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(QrShape);

template <typename T>
class QrOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(full_, construction.Attr<bool>("full_matrices"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::Of(input));
    const int64_t rows = all.rows, columns = all.columns;
    const int64_t inner = full_ ? rows : std::min(rows, columns);
    ASSIGN_OR_RETURN(const Shape q_shape, all.With({rows, inner}));
    ASSIGN_OR_RETURN(const Shape r_shape, all.With({inner, columns}));
    ASSIGN_OR_RETURN(Tensor * q, context->AllocateOutput(0, q_shape));
    ASSIGN_OR_RETURN(Tensor * r, context->AllocateOutput(1, r_shape));
    // Rows without columns may be more than a square can have.
    if (inner == 0 || all.count == 0) return OkStatus();
    T* q_out = q->mutable_data<T>();
    T* r_out = r->mutable_data<T>();
    return ForEachMatrix(all.count, {rows, inner, columns}, [&](int64_t m) {
      const linalg::MatrixView<T> matrix{input.data<T>() + m * all.size(), rows, columns};
      linalg::Qr(matrix, inner, q_out + m * rows * inner, r_out + m * inner * columns);
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool full_ = false;
};

REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<float>("T"), QrOp<float>);
REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<double>("T"), QrOp<double>);
REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<std::complex<float>>("T"), QrOp<std::complex<float>>);
REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<std::complex<double>>("T"), QrOp<std::complex<double>>);

}  // namespace
}  // namespace tfbuild
