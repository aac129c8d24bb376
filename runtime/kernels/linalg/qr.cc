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

// One of Householder's reflections, I - scale * mirror * mirror^H: what lies before `first` stays
// as it is.
template <typename W>
struct Reflection {
  int64_t first;
  std::vector<W> mirror;
  W scale;

  void Apply(DenseMatrix<W>* matrix) const { Multiply(scale, matrix); }
  void Undo(DenseMatrix<W>* matrix) const { Multiply(Conjugate(scale), matrix); }
  W& At(DenseMatrix<W>* matrix, size_t i, int64_t j) const {
    return (*matrix)(first + static_cast<int64_t>(i), j);
  }

 private:
  void Multiply(W by, DenseMatrix<W>* matrix) const {
    ThrowIfStopped();
    for (int64_t j = 0; j < matrix->columns(); ++j) {
      W sum = 0;
      for (size_t i = 0; i < mirror.size(); ++i) sum += Conjugate(mirror[i]) * At(matrix, i, j);
      for (size_t i = 0; i < mirror.size(); ++i) At(matrix, i, j) -= by * sum * mirror[i];
    }
  }
};

// Turns a matrix to a triangle; returns what did it, in order. Diagonals have the sign that LAPACK
// gives them, and are real.
template <typename W>
std::vector<Reflection<W>> Reflect(DenseMatrix<W>* r) {
  const int64_t rows = r->rows(), columns = r->columns();
  std::vector<Reflection<W>> done;
  for (int64_t k = 0; k < std::min(rows, columns); ++k) {
    double below = 0;
    for (int64_t i = k + 1; i < rows; ++i) below += SquaredSize((*r)(i, k));
    const W head = (*r)(k, k);
    if (below == 0 && head == W(RealPart(head))) continue;
    const double square = SquaredSize(head) + below;
    const double target = std::copysign(std::sqrt(square), RealPart(head) >= 0 ? -1.0 : 1.0);
    Reflection<W> next{k, std::vector<W>(static_cast<size_t>(rows - k)), 0};
    for (size_t i = 0; i < next.mirror.size(); ++i) next.mirror[i] = next.At(r, i, k);
    next.mirror[0] -= target;
    next.scale = 1.0 / (square - target * head);
    next.Apply(r);
    for (int64_t i = k + 1; i < rows; ++i) (*r)(i, k) = 0;
    done.push_back(std::move(next));
  }
  return done;
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
    // Rows without columns may be more than a square can have.
    if (inner == 0 || all.count == 0) return OkStatus();
    T* q_out = q->mutable_data<T>();
    T* r_out = r->mutable_data<T>();
    return ForEachMatrix(all.count, {rows, inner, columns}, [&](int64_t m) {
      auto triangle =
          DenseMatrix<WideOf<T>>::From(input.data<T>() + m * all.size(), rows, columns);
      const auto done = Reflect(&triangle);
      auto turned = DenseMatrix<WideOf<T>>::Identity(rows, inner);
      for (auto next = done.rbegin(); next != done.rend(); ++next) next->Undo(&turned);
      turned.CopyTo(q_out + m * rows * inner);
      T* to = r_out + m * inner * columns;
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
REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<std::complex<float>>("T"), QrOp<std::complex<float>>);
REGISTER_KERNEL(Kernel("Qr").OnCpu().Type<std::complex<double>>("T"), QrOp<std::complex<double>>);

}  // namespace
}  // namespace tfbuild
