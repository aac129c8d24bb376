// MatrixInverse, MatrixSolve, MatrixDeterminant and LogMatrixDeterminant, by elimination with
// pivots (LU).
#include <cmath>

#include "kernels/linalg/matrix.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status SolveShape(ShapeContext* context) {
  RETURN_IF_ERROR(SquareMatrixShape(context));
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 2));
  context->set_output(0, PartialShape());
  const PartialShape &matrix = context->input(0), &right = context->input(1);
  if (!matrix.known_rank() || !right.known_rank()) return OkStatus();
  if (matrix.rank() != right.rank()) {
    return InvalidArgument("Shapes must be equal rank, but are ", matrix, " and ", right);
  }
  // All but the last dimension agree.
  std::vector<int64_t> dims = matrix.dims(), of_right = right.dims();
  dims.pop_back();
  of_right.pop_back();
  ASSIGN_OR_RETURN(const PartialShape common, PartialShape(dims).MergeWith(PartialShape(of_right)));
  std::vector<int64_t> result = common.dims();
  result.push_back(right.dim(right.rank() - 1));
  context->set_output(0, PartialShape(result));
  return OkStatus();
}

Status DeterminantShape(ShapeContext* context) {
  RETURN_IF_ERROR(SquareMatrixShape(context));
  const PartialShape& input = context->input(0);
  PartialShape batch;
  if (input.known_rank()) {
    batch = PartialShape(std::vector<int64_t>(input.dims().begin(), input.dims().end() - 2));
  }
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, batch);
  return OkStatus();
}

REGISTER_OP("MatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(SquareMatrixShape);
REGISTER_OP("MatrixSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(SolveShape);
REGISTER_OP("MatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .ShapeFunction(DeterminantShape);
REGISTER_OP("LogMatrixDeterminant")
    .Input("input: T")
    .Output("sign: T")
    .Output("log_abs_determinant: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .ShapeFunction(DeterminantShape);

// A matrix as the product of a lower and an upper triangle, rows in another order.
template <typename W>
class Factors {
 public:
  explicit Factors(DenseMatrix<W> matrix) : triangles_(std::move(matrix)) {
    const int64_t size = triangles_.rows();
    order_.resize(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) order_[static_cast<size_t>(i)] = i;
    for (int64_t k = 0; k < size; ++k) {
      ThrowIfStopped();
      Eliminate(k);
    }
  }

  bool invertible() const {
    for (int64_t i = 0; i < triangles_.rows(); ++i) {
      if (triangles_(i, i) == W(0)) return false;
    }
    return true;
  }
  W diagonal(int64_t i) const { return triangles_(i, i); }
  bool odd() const { return odd_; }

  // x with matrix * x = right.
  DenseMatrix<W> Solve(const DenseMatrix<W>& right) const {
    const int64_t size = triangles_.rows(), columns = right.columns();
    DenseMatrix<W> x(size, columns);
    for (int64_t i = 0; i < size; ++i) {
      ThrowIfStopped();
      for (int64_t j = 0; j < columns; ++j) x(i, j) = right(order_[static_cast<size_t>(i)], j);
      for (int64_t k = 0; k < i; ++k) Subtract(triangles_(i, k), x.row(k), columns, x.row(i));
    }
    for (int64_t i = size - 1; i >= 0; --i) {
      ThrowIfStopped();
      for (int64_t k = i + 1; k < size; ++k) {
        Subtract(triangles_(i, k), x.row(k), columns, x.row(i));
      }
      for (int64_t j = 0; j < columns; ++j) x(i, j) /= triangles_(i, i);
    }
    return x;
  }

 private:
  static void Subtract(W factor, const W* from, int64_t count, W* to) {
    for (int64_t j = 0; j < count; ++j) to[j] -= factor * from[j];
  }
  void Eliminate(int64_t k) {
    const int64_t size = triangles_.rows();
    int64_t pivot = k;
    for (int64_t i = k + 1; i < size; ++i) {
      if (std::abs(triangles_(i, k)) > std::abs(triangles_(pivot, k))) pivot = i;
    }
    if (pivot != k) {
      triangles_.SwapRows(k, pivot);
      std::swap(order_[static_cast<size_t>(k)], order_[static_cast<size_t>(pivot)]);
      odd_ = !odd_;
    }
    if (triangles_(k, k) == W(0)) return;
    for (int64_t i = k + 1; i < size; ++i) {
      const W factor = triangles_(i, k) /= triangles_(k, k);
      Subtract(factor, triangles_.row(k) + k + 1, size - k - 1, triangles_.row(i) + k + 1);
    }
  }

  DenseMatrix<W> triangles_;
  std::vector<int64_t> order_;
  bool odd_ = false;
};

template <typename T>
class MatrixSolveOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(adjoint_, construction.Attr<bool>("adjoint"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    using W = WideOf<T>;
    const Tensor& matrix = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(matrix));
    int64_t columns = all.columns;
    const bool inverts = context->num_inputs() == 1;
    if (!inverts) {
      const Tensor& right = context->input(1);
      ASSIGN_OR_RETURN(const MatrixBatch rights, MatrixBatch::Of(right));
      if (rights.batch != all.batch || rights.rows != all.rows) {
        return InvalidArgument("Input matrix and rhs are incompatible: ", matrix.shape(), " and ",
                               right.shape());
      }
      columns = rights.columns;
    }
    ASSIGN_OR_RETURN(const Shape shape, all.With({all.rows, columns}));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const T* right = inverts ? nullptr : context->input(1).data<T>();
    T* out = output->mutable_data<T>();
    const int64_t size = all.rows;
    return ForEachMatrix(all.count, {size, size, size + columns}, [&](int64_t i) {
      auto from = DenseMatrix<W>::From(matrix.data<T>() + i * all.size(), size, size);
      const Factors<W> factors(adjoint_ ? from.Adjoint() : std::move(from));
      if (!factors.invertible()) return InvalidArgument("Input matrix is not invertible.");
      const auto wanted = inverts ? DenseMatrix<W>::Identity(size)
                                  : DenseMatrix<W>::From(right + i * size * columns, size, columns);
      factors.Solve(wanted).CopyTo(out + i * size * columns);
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool adjoint_ = false;
};

// The determinant itself where there is one output; else its sign and the logarithm of its size.
template <typename T>
class DeterminantOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    using W = WideOf<T>;
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(input));
    ASSIGN_OR_RETURN(const Shape shape, all.With({}));
    std::vector<T*> out;
    for (int i = 0; i < context->num_outputs(); ++i) {
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i, shape));
      out.push_back(output->mutable_data<T>());
    }
    const int64_t size = all.rows;
    return ForEachMatrix(all.count, {size, size, size}, [&](int64_t i) {
      const Factors<W> factors(
          DenseMatrix<W>::From(input.data<T>() + i * all.size(), size, size));
      W product(factors.odd() ? -1 : 1), sign = product;
      double logarithm = 0;
      for (int64_t k = 0; k < size; ++k) {
        const W value = factors.diagonal(k);
        const double magnitude = std::abs(value);
        product *= value;
        sign *= magnitude == 0 ? W(0) : value / magnitude;
        logarithm += std::log(magnitude);
      }
      out[0][i] = T((out.size() == 1 ? product : sign) + W(0));  // no negative zero
      if (out.size() == 2) out[1][i] = T(W(logarithm));
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }
};

#define REGISTER(T)                                                                       \
  REGISTER_KERNEL(Kernel("MatrixInverse").OnCpu().Type<T>("T"), MatrixSolveOp<T>);        \
  REGISTER_KERNEL(Kernel("MatrixSolve").OnCpu().Type<T>("T"), MatrixSolveOp<T>);          \
  REGISTER_KERNEL(Kernel("MatrixDeterminant").OnCpu().Type<T>("T"), DeterminantOp<T>);    \
  REGISTER_KERNEL(Kernel("LogMatrixDeterminant").OnCpu().Type<T>("T"), DeterminantOp<T>);
REGISTER(float)
REGISTER(double)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
