// SelfAdjointEigV2 and Svd, by Jacobi's rotations: slower than what reduces the matrix first, and
// exact to the last places for small and large values alike.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <type_traits>

#include "kernels/linalg/matrix.h"

namespace tfbuild {
namespace {

// The leading dimensions, and after them `tail`.
PartialShape WithTail(const PartialShape& input, const std::vector<int64_t>& tail) {
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end() - 2);
  dims.insert(dims.end(), tail.begin(), tail.end());
  return PartialShape(dims);
}

Status EigenShape(ShapeContext* context) {
  RETURN_IF_ERROR(SquareMatrixShape(context));
  const PartialShape& input = context->input(0);
  context->set_output(0, PartialShape());
  if (!input.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const bool vectors, context->Attr<bool>("compute_v"));
  const int64_t size = input.dim(input.rank() - 1);
  context->set_output(0, WithTail(input, {size}));
  context->set_output(1, vectors ? input : PartialShape({0}));
  return OkStatus();
}

Status SvdShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const bool vectors, context->Attr<bool>("compute_uv"));
  ASSIGN_OR_RETURN(const bool full, context->Attr<bool>("full_matrices"));
  const int64_t rows = input.dim(input.rank() - 2), columns = input.dim(input.rank() - 1);
  const bool known = rows != kUnknownDim && columns != kUnknownDim;
  const int64_t inner = known ? std::min(rows, columns) : kUnknownDim;
  context->set_output(0, WithTail(input, {inner}));
  for (int i = 1; i < 3; ++i) {
    const int64_t side = i == 1 ? rows : columns;
    context->set_output(i, vectors ? WithTail(input, {side, full ? side : inner})
                                   : PartialShape({0}));
  }
  return OkStatus();
}

REGISTER_OP("SelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = true")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(EigenShape);
REGISTER_OP("Svd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = true")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(SvdShape);

constexpr int kMostSweeps = 60;  // ten are many
constexpr double kSmall = 1e-15;
constexpr int kSquareable = 256;  // powers of two from 1 whose squares are exact, and their sums

double Scaled(double value, int power) { return std::ldexp(value, power); }
std::complex<double> Scaled(std::complex<double> value, int power) {
  return {std::ldexp(value.real(), power), std::ldexp(value.imag(), power)};
}

// Divides a matrix by a power of two where squares of its numbers would overflow or vanish, and
// returns the power.
template <typename W>
int BringNear(DenseMatrix<W>* matrix) {
  double largest = 0;
  for (int64_t i = 0; i < matrix->rows(); ++i) {
    for (int64_t j = 0; j < matrix->columns(); ++j) {
      largest = std::max(largest, std::abs((*matrix)(i, j)));
    }
  }
  int power = 0;
  if (!std::isfinite(largest)) return 0;  // another check refuses it
  std::frexp(largest, &power);
  if (std::abs(power) <= kSquareable) return 0;
  for (int64_t i = 0; i < matrix->rows(); ++i) {
    for (int64_t j = 0; j < matrix->columns(); ++j) {
      (*matrix)(i, j) = Scaled((*matrix)(i, j), -power);
    }
  }
  return power;
}

// Row p becomes cosine * p - sine * phase * q, and row q sine * p + cosine * phase * q.
template <typename W>
struct Rotation {
  double cosine;
  double sine;
  W phase;  // of size 1
};

// What makes the self-adjoint matrix [[a, b], [b*, c]] diagonal.
template <typename W>
Rotation<W> Diagonalising(double a, W b, double c) {
  W phase = 1;
  double between = RealPart(b);
  if constexpr (!std::is_same<W, double>::value) {
    between = std::abs(b);
    phase = b / between;
  }
  const double ratio = (c - a) / (2 * between);
  const double tangent = std::copysign(1.0, ratio) / (std::abs(ratio) + std::hypot(1.0, ratio));
  const double cosine = 1 / std::hypot(1.0, tangent);
  return {cosine, tangent * cosine, phase};
}

// Turns rows p and q of a matrix.
template <typename W>
void Turn(const Rotation<W>& turn, int64_t p, int64_t q, DenseMatrix<W>* matrix) {
  W *x = matrix->row(p), *y = matrix->row(q);
  for (int64_t j = 0; j < matrix->columns(); ++j) {
    const W a = x[j], b = turn.phase * y[j];
    x[j] = turn.cosine * a - turn.sine * b;
    y[j] = turn.sine * a + turn.cosine * b;
  }
}

Status NotConverged() { return InvalidArgument("the matrix holds what is not finite"); }

// Makes the self-adjoint matrix diagonal; the rows of `vectors` become its conjugated eigenvectors.
template <typename W>
Status FindEigen(DenseMatrix<W>* matrix, DenseMatrix<W>* vectors) {
  DenseMatrix<W>& m = *matrix;
  const int64_t size = m.rows();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0, all = 0;
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        all += SquaredSize(m(i, j));
        if (i != j) off += SquaredSize(m(i, j));
      }
    }
    if (!std::isfinite(all)) return NotConverged();
    if (off <= kSmall * kSmall * all) return OkStatus();
    for (int64_t p = 0; p < size; ++p) {
      ThrowIfStopped();
      for (int64_t q = p + 1; q < size; ++q) {
        if (m(p, q) == W(0)) continue;
        const auto turn = Diagonalising(RealPart(m(p, p)), m(p, q), RealPart(m(q, q)));
        Turn(turn, p, q, matrix);
        for (int64_t i = 0; i < size; ++i) {
          const W a = m(i, p), b = Conjugate(turn.phase) * m(i, q);
          m(i, p) = turn.cosine * a - turn.sine * b;
          m(i, q) = turn.sine * a + turn.cosine * b;
        }
        m(p, q) = m(q, p) = W(0);
        Turn(turn, p, q, vectors);
      }
    }
  }
  return OkStatus();
}

// Makes the rows of the matrix orthogonal to each other by turning them; `turned` gets the same.
template <typename W>
Status MakeOrthogonal(DenseMatrix<W>* matrix, DenseMatrix<W>* turned) {
  const int64_t count = matrix->rows(), length = matrix->columns();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool done = true;
    for (int64_t p = 0; p < count; ++p) {
      ThrowIfStopped();
      for (int64_t q = p + 1; q < count; ++q) {
        const W *x = matrix->row(p), *y = matrix->row(q);
        double xx = 0, yy = 0;
        W xy = 0;
        for (int64_t j = 0; j < length; ++j) {
          xx += SquaredSize(x[j]);
          yy += SquaredSize(y[j]);
          xy += x[j] * Conjugate(y[j]);
        }
        if (!std::isfinite(xx + yy)) return NotConverged();
        if (std::abs(xy) <= kSmall * std::sqrt(xx * yy)) continue;
        done = false;
        const auto turn = Diagonalising(xx, xy, yy);
        Turn(turn, p, q, matrix);
        Turn(turn, p, q, turned);
      }
    }
    if (done) return OkStatus();
  }
  return OkStatus();
}

template <typename W>
double NormOf(const W* row, int64_t length) {
  double square = 0;
  for (int64_t j = 0; j < length; ++j) square += SquaredSize(row[j]);
  return std::sqrt(square);
}

// Makes rows [from, rows) of unit length and orthogonal to all rows before them.
template <typename W>
void Complete(int64_t from, DenseMatrix<W>* basis) {
  const int64_t length = basis->columns();
  for (int64_t i = from; i < basis->rows(); ++i) {
    ThrowIfStopped();
    double best = -1;
    std::vector<W> found;
    for (int64_t axis = 0; axis < length && best < 0.5; ++axis) {
      std::vector<W> candidate(static_cast<size_t>(length));
      candidate[static_cast<size_t>(axis)] = 1;
      for (int twice = 0; twice < 2; ++twice) {
        for (int64_t k = 0; k < i; ++k) {
          const W* row = basis->row(k);
          W along = 0;
          for (int64_t j = 0; j < length; ++j) {
            along += Conjugate(row[j]) * candidate[static_cast<size_t>(j)];
          }
          for (int64_t j = 0; j < length; ++j) candidate[static_cast<size_t>(j)] -= along * row[j];
        }
      }
      const double norm = NormOf(candidate.data(), length);
      if (norm <= best) continue;
      best = norm;
      for (W& value : candidate) value /= norm;
      found = std::move(candidate);
    }
    std::copy(found.begin(), found.end(), basis->row(i));
  }
}

// The numbers 0.. in the order of the values.
std::vector<int64_t> Order(const std::vector<double>& values, bool descending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const double x = values[static_cast<size_t>(a)], y = values[static_cast<size_t>(b)];
    return descending ? x > y : x < y;
  });
  return order;
}

template <typename W, typename T>
void StoreColumns(const DenseMatrix<W>& rows, T* out) {
  rows.Adjoint().CopyTo(out);
}

template <typename T>
class SelfAdjointEigOp final : public OpKernel {
  using Matrix = DenseMatrix<WideOf<T>>;

 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(vectors_, construction.Attr<bool>("compute_v"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(input));
    const int64_t size = all.rows;
    ASSIGN_OR_RETURN(const Shape shape, all.With({size}));
    ASSIGN_OR_RETURN(Tensor * e, context->AllocateOutput(0, shape));
    ASSIGN_OR_RETURN(Tensor * v, context->AllocateOutput(1, vectors_ ? input.shape() : Shape{0}));
    if (input.num_elements() == 0) return OkStatus();
    T* values = e->mutable_data<T>();
    T* vectors = v->mutable_data<T>();
    return ForEachMatrix(all.count, {16, size, size, size}, [&](int64_t m) {
      auto matrix = Matrix::From(input.data<T>() + m * all.size(), size, size);
      for (int64_t i = 0; i < size; ++i) {  // the lower half counts
        for (int64_t j = 0; j < i; ++j) matrix(j, i) = Conjugate(matrix(i, j));
        matrix(i, i) = RealPart(matrix(i, i));
      }
      auto found = Matrix::Identity(size);
      const int power = BringNear(&matrix);
      RETURN_IF_ERROR(FindEigen(&matrix, &found));
      std::vector<double> diagonal;
      for (int64_t i = 0; i < size; ++i) {
        diagonal.push_back(Scaled(RealPart(matrix(i, i)), power));
      }
      const std::vector<int64_t> order = Order(diagonal, false);
      Matrix sorted(size, size);
      for (int64_t i = 0; i < size; ++i) {
        const int64_t from = order[static_cast<size_t>(i)];
        values[m * size + i] = T(diagonal[static_cast<size_t>(from)]);
        std::copy_n(found.row(from), size, sorted.row(i));
      }
      if (vectors_) StoreColumns(sorted, vectors + m * all.size());
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool vectors_ = true;
};

// The singular values of a matrix that has at least as many columns as rows, the largest first, and
// the vectors of both sides as rows.
template <typename W>
struct Singular {
  std::vector<double> values;
  DenseMatrix<W> left;
  DenseMatrix<W> right;
};

template <typename W>
Status Decompose(DenseMatrix<W> wide, bool full, Singular<W>* result) {
  const int64_t count = wide.rows(), length = wide.columns();
  const int power = BringNear(&wide);
  auto turned = DenseMatrix<W>::Identity(count);
  RETURN_IF_ERROR(MakeOrthogonal(&wide, &turned));
  std::vector<double> norms;
  for (int64_t i = 0; i < count; ++i) {
    norms.push_back(NormOf(wide.row(i), length));
  }
  const std::vector<int64_t> order = Order(norms, true);
  result->left = DenseMatrix<W>(count, count);
  result->right = DenseMatrix<W>(full ? length : count, length);
  int64_t rank = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = order[static_cast<size_t>(i)];
    const double norm = norms[static_cast<size_t>(from)];
    result->values.push_back(Scaled(norm, power));
    std::copy_n(turned.row(from), count, result->left.row(i));
    if (norm <= kSmall * norms[static_cast<size_t>(order[0])]) continue;  // its direction means nothing
    rank = i + 1;
    for (int64_t j = 0; j < length; ++j) result->right(i, j) = wide(from, j) / norm;
  }
  Complete(rank, &result->right);
  return OkStatus();
}

template <typename T>
class SvdOp final : public OpKernel {
  using Matrix = DenseMatrix<WideOf<T>>;

 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(vectors_, construction.Attr<bool>("compute_uv"));
    ASSIGN_OR_RETURN(full_, construction.Attr<bool>("full_matrices"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::Of(input));
    const int64_t rows = all.rows, columns = all.columns, inner = std::min(rows, columns);
    ASSIGN_OR_RETURN(const Shape shape, all.With({inner}));
    ASSIGN_OR_RETURN(Tensor * s, context->AllocateOutput(0, shape));
    T* values = s->mutable_data<T>();
    T* sides[2];
    bool is_empty = shape.num_elements() == 0;
    const int64_t lengths[2] = {rows, columns};
    for (int i = 0; i < 2; ++i) {
      ASSIGN_OR_RETURN(Shape side, all.With({lengths[i], full_ ? lengths[i] : inner}));
      if (!vectors_) side = Shape{0};
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i + 1, side));
      sides[i] = output->mutable_data<T>();
      is_empty = is_empty && side.num_elements() == 0;
    }
    if (is_empty) return OkStatus();
    return ForEachMatrix(all.count, {16, rows, columns, inner}, [&](int64_t m) {
      auto matrix = Matrix::From(input.data<T>() + m * all.size(), rows, columns);
      const bool turned = rows > columns;
      Singular<WideOf<T>> found{{}, Matrix(0, 0), Matrix(0, 0)};
      RETURN_IF_ERROR(Decompose(turned ? matrix.Adjoint() : std::move(matrix), full_ && vectors_,
                                &found));
      for (int64_t i = 0; i < inner; ++i) {
        values[m * inner + i] = T(found.values[static_cast<size_t>(i)]);
      }
      if (!vectors_) return OkStatus();
      const Matrix* of_side[2] = {&found.left, &found.right};
      if (turned) std::swap(of_side[0], of_side[1]);
      for (int i = 0; i < 2; ++i) {
        StoreColumns(*of_side[i], sides[i] + m * of_side[i]->rows() * of_side[i]->columns());
      }
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool vectors_ = true;
  bool full_ = false;
};

#define REGISTER(T)                                                                        \
  REGISTER_KERNEL(Kernel("SelfAdjointEigV2").OnCpu().Type<T>("T"), SelfAdjointEigOp<T>);   \
  REGISTER_KERNEL(Kernel("Svd").OnCpu().Type<T>("T"), SvdOp<T>);
REGISTER(float)
REGISTER(double)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
