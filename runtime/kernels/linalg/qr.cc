// Qr: a matrix as the product of an orthogonal one and of a triangle, by Householder's reflections.
#include <cmath>

#include "kernels/linalg/matrix.h"

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

// Turns the columns of `r` to a triangle, and `q`, which begins as ones, into what was done to them,
// transposed. Diagonals have the sign that LAPACK gives them.
void Reflect(DenseMatrix<double>* r, DenseMatrix<double>* q) {
  const int64_t rows = r->rows(), columns = r->columns();
  std::vector<double> mirror(static_cast<size_t>(rows));
  const auto apply = [&](DenseMatrix<double>* matrix, int64_t k, double scale) {
    for (int64_t j = 0; j < matrix->columns(); ++j) {
      double sum = 0;
      for (int64_t i = k; i < rows; ++i) sum += mirror[static_cast<size_t>(i)] * (*matrix)(i, j);
      for (int64_t i = k; i < rows; ++i) {
        (*matrix)(i, j) -= scale * sum * mirror[static_cast<size_t>(i)];
      }
    }
  };
  for (int64_t k = 0; k < std::min(rows - 1, columns); ++k) {
    double below = 0;
    for (int64_t i = k + 1; i < rows; ++i) below += (*r)(i, k) * (*r)(i, k);
    if (below == 0) continue;
    const double head = (*r)(k, k);
    const double norm = std::sqrt(head * head + below);
    const double target = head >= 0 ? -norm : norm;
    for (int64_t i = k; i < rows; ++i) mirror[static_cast<size_t>(i)] = (*r)(i, k);
    mirror[static_cast<size_t>(k)] -= target;
    const double scale = 2 / (mirror[static_cast<size_t>(k)] * mirror[static_cast<size_t>(k)] + below);
    apply(r, k, scale);
    apply(q, k, scale);
    for (int64_t i = k + 1; i < rows; ++i) (*r)(i, k) = 0;
  }
}

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
    if (inner == 0) return OkStatus();  // rows without columns may be more than a square can have
    T* q_out = q->mutable_data<T>();
    T* r_out = r->mutable_data<T>();
    return ForEachMatrix(all.count, rows * rows * columns, [&](int64_t m) {
      auto triangle =
          DenseMatrix<double>::From(input.data<T>() + m * all.size(), rows, columns);
      auto turned = DenseMatrix<double>::Identity(rows);
      Reflect(&triangle, &turned);
      T* to = q_out + m * rows * inner;
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < inner; ++j) *to++ = T(turned(j, i));
      }
      to = r_out + m * inner * columns;
      for (int64_t i = 0; i < inner; ++i) {
        for (int64_t j = 0; j < columns; ++j) *to++ = T(triangle(i, j));
      }
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool full_ = false;
};

REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<float>("T"), QrOp<float>);
REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<double>("T"), QrOp<double>);

}  // namespace
}  // namespace tfbuild
