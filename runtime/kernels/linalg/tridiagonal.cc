// TridiagonalSolve and TridiagonalMatMul: matrices that are given by three diagonals.
#include <cmath>

#include "base/stop_look.h"
#include "kernels/linalg/matrix.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status RightShape(ShapeContext* context) {
  const int last = context->num_inputs() - 1;
  for (int i = 0; i <= last; ++i) RETURN_IF_ERROR(context->WithRankAtLeast(i, 2));
  context->set_output(0, context->input(last));
  return OkStatus();
}

REGISTER_OP("TridiagonalSolve")
    .Input("diagonals: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("partial_pivoting: bool = true")
    .Attr("perturb_singular: bool = false")
    .Attr("T: {double, float, complex64, complex128}")
    .ShapeFunction(RightShape);
REGISTER_OP("TridiagonalMatMul")
    .Input("superdiag: T")
    .Input("maindiag: T")
    .Input("subdiag: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("T: {double, float, complex64, complex128}")
    .ShapeFunction(RightShape);

// What a system is solved in: floats lose nothing in double.
template <typename T>
struct WideNumber { using type = double; };
template <typename T>
struct WideNumber<std::complex<T>> { using type = std::complex<double>; };
template <typename T>
using WideOf = typename WideNumber<T>::type;

// Numbers in rows and columns, row by row.
template <typename W>
class NumberRows {
 public:
  template <typename T>
  NumberRows(const T* values, int64_t rows, int64_t columns)
      : columns_(columns), values_(values, values + rows * columns) {}
  template <typename T>
  void CopyTo(T* values) const {
    for (const W& value : values_) *values++ = T(value);
  }
  int64_t columns() const { return columns_; }
  W& operator()(int64_t i, int64_t j) { return values_[static_cast<size_t>(i * columns_ + j)]; }
  std::vector<W> Row(int64_t i) const {
    return std::vector<W>(values_.begin() + i * columns_, values_.begin() + (i + 1) * columns_);
  }
  void SwapRows(int64_t i, int64_t j) {
    const auto from = values_.begin() + i * columns_;
    std::swap_ranges(from, from + columns_, values_.begin() + j * columns_);
  }

 private:
  int64_t columns_;
  std::vector<W> values_;
};

// The three diagonals of a square matrix, whose elements beyond it are not looked at, and what they
// become while it is eliminated: an upper triangle with two diagonals above its own.
template <typename W>
class Tridiagonal {
 public:
  // Rows: above, on and below the diagonal.
  explicit Tridiagonal(const NumberRows<W>& diagonals)
      : size_(diagonals.columns()), pivot_(diagonals.Row(1)), next_(diagonals.Row(0)),
        below_(diagonals.Row(2)), far_(static_cast<size_t>(size_), W(0)) {
    if (size_ > 0) next_.back() = W(0);
  }

  // Makes x of the right side: Gauss's elimination, which with `pivoting` exchanges neighbouring rows
  // where the lower one has the larger element. InvalidArgument where there is no single x.
  Status Solve(bool pivoting, NumberRows<W>* x) {
    StopLook look;
    for (int64_t i = 0; i + 1 < size_; ++i) {
      look.Turns(1 + x->columns());
      RETURN_IF_ERROR(Eliminate(pivoting, static_cast<size_t>(i), x));
    }
    for (int64_t i = size_ - 1; i >= 0; --i) {
      look.Turns(1 + x->columns());
      const size_t at = static_cast<size_t>(i);
      if (pivot_[at] == W(0)) return NotInvertible();
      for (int64_t j = 0; j < x->columns(); ++j) {
        W rest = (*x)(i, j);
        if (i + 1 < size_) rest -= next_[at] * (*x)(i + 1, j);
        if (i + 2 < size_) rest -= far_[at] * (*x)(i + 2, j);
        (*x)(i, j) = rest / pivot_[at];
      }
    }
    return OkStatus();
  }

 private:
  static Status NotInvertible() { return InvalidArgument("The matrix is not invertible."); }

  // Takes row i times a factor from row i + 1, so that this has nothing below the diagonal.
  Status Eliminate(bool pivoting, size_t i, NumberRows<W>* x) {
    const int64_t row = static_cast<int64_t>(i);
    if (pivoting && std::abs(below_[i + 1]) > std::abs(pivot_[i])) {
      std::swap(pivot_[i], below_[i + 1]);
      std::swap(next_[i], pivot_[i + 1]);
      std::swap(far_[i], next_[i + 1]);
      x->SwapRows(row, row + 1);
    }
    if (pivot_[i] == W(0)) return NotInvertible();
    const W factor = below_[i + 1] / pivot_[i];
    pivot_[i + 1] -= factor * next_[i];
    next_[i + 1] -= factor * far_[i];
    for (int64_t j = 0; j < x->columns(); ++j) (*x)(row + 1, j) -= factor * (*x)(row, j);
    return OkStatus();
  }

  int64_t size_;
  std::vector<W> pivot_, next_, below_, far_;
};

Status CheckLike(const MatrixBatch& rights, const MatrixBatch& other, int64_t rows,
                 const Tensor& tensor) {
  if (other.batch == rights.batch && other.rows == rows && other.columns == rights.rows) {
    return OkStatus();
  }
  return InvalidArgument("Expected diagonals of as many elements as the right side has rows, ",
                         rights.rows, ", in ", rows, " rows and as many matrices, but their shape is ",
                         tensor.shape());
}

template <typename T>
class TridiagonalSolveOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(pivoting_, construction.Attr<bool>("partial_pivoting"));
    ASSIGN_OR_RETURN(const bool perturbs, construction.Attr<bool>("perturb_singular"));
    if (perturbs) return Unimplemented("perturb_singular is not there on the CPU");
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    using W = WideOf<T>;
    const Tensor &lines = context->input(0), &right = context->input(1);
    ASSIGN_OR_RETURN(const MatrixBatch diagonals, MatrixBatch::Of(lines));
    ASSIGN_OR_RETURN(const MatrixBatch rights, MatrixBatch::Of(right));
    RETURN_IF_ERROR(CheckLike(rights, diagonals, 3, lines));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, right.shape()));
    if (output->num_elements() == 0) return OkStatus();
    T* out = output->mutable_data<T>();
    return ForEachMatrix(rights.count, {8, rights.rows, rights.columns}, [&](int64_t i) -> Status {
      Tridiagonal<W> matrix(
          NumberRows<W>(lines.data<T>() + i * diagonals.size(), 3, diagonals.columns));
      NumberRows<W> x(right.data<T>() + i * rights.size(), rights.rows, rights.columns);
      RETURN_IF_ERROR(matrix.Solve(pivoting_, &x));
      x.CopyTo(out + i * rights.size());
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool pivoting_ = true;
};

template <typename T>
class TridiagonalMatMulOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& right = context->input(3);
    ASSIGN_OR_RETURN(const MatrixBatch rights, MatrixBatch::Of(right));
    const T* lines[3];  // above, on and below the diagonal
    for (int i = 0; i < 3; ++i) {
      const Tensor& line = context->input(i);
      ASSIGN_OR_RETURN(const MatrixBatch diagonal, MatrixBatch::Of(line));
      RETURN_IF_ERROR(CheckLike(rights, diagonal, 1, line));
      lines[i] = line.data<T>();
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, right.shape()));
    const int64_t rows = rights.rows, columns = rights.columns;
    T* out = output->mutable_data<T>();
    if (output->num_elements() == 0) return OkStatus();
    return ForEachMatrix(rights.count, {3, rights.rows, rights.columns}, [&](int64_t i) {
      const T* x = right.data<T>() + i * rights.size();
      T* y = out + i * rights.size();
      StopLook look;
      for (int64_t r = 0; r < rows; ++r, x += columns) {
        look.Turns(1 + columns);
        const int64_t at = i * rows + r;
        for (int64_t c = 0; c < columns; ++c) {
          T sum = lines[1][at] * x[c];
          if (r > 0) sum += lines[2][at] * x[c - columns];
          if (r + 1 < rows) sum += lines[0][at] * x[c + columns];
          *y++ = sum;
        }
      }
      return OkStatus();
    });
  }
};

#define REGISTER(T)                                                                         \
  REGISTER_KERNEL(Kernel("TridiagonalSolve").OnCpu().Type<T>("T"), TridiagonalSolveOp<T>);  \
  REGISTER_KERNEL(Kernel("TridiagonalMatMul").OnCpu().Type<T>("T"), TridiagonalMatMulOp<T>);
REGISTER(float)
REGISTER(double)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
